/// A line through points, by least squares.
struct Trend: Codable, Sendable {
    /// The mean of the values.
    var mean: Double
    /// By how much the line rises from the first point to the last.
    var growth: Double

    /// The line through points; `nil` through fewer than two.
    init?(_ points: [(x: Double, y: Double)]) {
        guard let first = points.first?.x, let last = points.last?.x, last > first else { return nil }
        let count = Double(points.count)
        let meanX = points.reduce(0) { $0 + $1.x } / count
        mean = points.reduce(0) { $0 + $1.y } / count
        let spread = points.reduce(0) { $0 + ($1.x - meanX) * ($1.x - meanX) }
        var product = 0.0
        for point in points { product += (point.x - meanX) * (point.y - mean) }
        growth = product / spread * (last - first)
    }
}
