extension Array {
    /// Moves so many elements down to the start, over those before them.
    @inline(__always)
    mutating func moveDown(by distance: Int, count moved: Int) {
        guard distance >= 0, moved >= 0, distance + moved <= count else { return }
        withUnsafeMutableBufferPointer { elements in
            if let start = elements.baseAddress { start.update(from: start + distance, count: moved) }
        }
    }
}
