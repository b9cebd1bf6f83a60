/// Returns when the condition holds; the suite's time limit is the deadline.
func until(_ condition: () -> Bool) async {
    while !condition(), !Task.isCancelled { await Task.yield() }
}
