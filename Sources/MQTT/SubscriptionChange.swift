/// A change of what a consumer receives, while it runs.
enum SubscriptionChange: Sendable {
    case subscribe([MQTTSubscription])
    case unsubscribe([String])

    func apply(to subscriptions: inout [MQTTSubscription]) {
        switch self {
        case .subscribe(let added):
            subscriptions.removeAll { old in added.contains { $0.filter == old.filter } }
            subscriptions += added
        case .unsubscribe(let filters):
            subscriptions.removeAll { filters.contains($0.filter) }
        }
    }
}
