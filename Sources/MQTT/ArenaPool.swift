/// Arenas in turn: a batch that the application still holds keeps its own, and the next batch is read into another.
struct ArenaPool {
    private var arenas: [MessageArena] = []
    /// Two are enough for a loop that releases each batch before it asks for the next.
    private static let maximumKept = 3

    /// An empty arena that nobody else refers to.
    mutating func take() -> MessageArena {
        for index in arenas.indices where isKnownUniquelyReferenced(&arenas[index]) {
            arenas[index].removeAll()
            return arenas[index]
        }
        let arena = MessageArena()
        if arenas.count < Self.maximumKept { arenas.append(arena) }
        return arena
    }
}
