import Foundation

/// Lines over time, as a piece of SVG.
struct LineChart: Sendable {
    /// One line.
    struct Line: Sendable {
        var name: String
        var points: [(x: Double, y: Double)]
    }

    var title: String
    var lines: [Line]

    static let width = 900.0
    static let height = 260.0
    private static let margin = (left: 60.0, right: 130.0, top: 30.0, bottom: 30.0)
    private static let colours = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd"]

    /// Charts, one below the other.
    static func document(_ charts: [LineChart]) -> String {
        let bodies = charts.enumerated().map { index, chart in
            "<g transform=\"translate(0,\(Double(index) * height))\">\(chart.body)</g>"
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height * Double(charts.count))" \
            font-family="sans-serif" font-size="12">
            <rect width="100%" height="100%" fill="white"/>
            \(bodies.joined(separator: "\n"))
            </svg>

            """
    }

    private var body: String {
        let points = lines.flatMap(\.points)
        let (right, top) = (max(points.map(\.x).max() ?? 1, 1), max((points.map(\.y).max() ?? 1) * 1.1, 0.001))
        let ticks = (0...4).map { Double($0) / 4 }
        let rows = ticks.map { share in
            let y = Self.place(0, share).y
            return """
                <line x1="\(Self.margin.left)" y1="\(y)" x2="\(Self.width - Self.margin.right)" y2="\(y)" stroke="#ddd"/>\
                <text x="\(Self.margin.left - 6)" y="\(y + 4)" text-anchor="end">\(Self.label(top * share))</text>
                """
        }
        let columns = ticks.map { share in
            let place = Self.place(share, 0)
            return """
                <text x="\(place.x)" y="\(place.y + 18)" text-anchor="middle">\(Self.label(right * share / 60)) min</text>
                """
        }
        let drawn = lines.enumerated().map { draw($1, colour: Self.colours[$0 % 4], row: $0, right, top) }
        let head = "<text x=\"\(Self.margin.left)\" y=\"18\" font-weight=\"bold\">\(title)</text>"
        return ([head] + rows + columns + drawn).joined(separator: "\n")
    }

    private func draw(_ line: Line, colour: String, row: Int, _ right: Double, _ top: Double) -> String {
        let places = line.points.map { point in
            let place = Self.place(point.x / right, point.y / top)
            return String(format: "%.1f,%.1f", place.x, place.y)
        }
        return """
            <polyline fill="none" stroke="\(colour)" stroke-width="1.2" points="\(places.joined(separator: " "))"/>\
            <text x="\(Self.width - Self.margin.right + 8)" y="\(Self.margin.top + 16 * Double(row + 1))" \
            fill="\(colour)">\(line.name)</text>
            """
    }

    private static func place(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        (
            margin.left + x * (width - margin.left - margin.right),
            height - margin.bottom - y * (height - margin.top - margin.bottom)
        )
    }

    private static func label(_ value: Double) -> String {
        value >= 100 ? String(Int(value.rounded())) : String(format: "%.1f", value)
    }
}
