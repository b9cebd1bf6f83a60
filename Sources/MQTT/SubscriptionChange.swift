/// A change of what a consumer receives, while it runs.
enum SubscriptionChange: Sendable {
    case subscribe([MQTTSubscription])
    case unsubscribe([String])

    /// What this change gives up and nobody wants again.
    func givenUp(except wanted: Set<String>) -> SubscriptionChange? {
        guard case .unsubscribe(let filters) = self else { return nil }
        let unwanted = filters.filter { !wanted.contains($0) }
        return unwanted.isEmpty ? nil : .unsubscribe(unwanted)
    }

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
