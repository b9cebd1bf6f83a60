/// Eight, or four, neighbouring values of a buffer at once, wherever they begin.
extension UnsafePointer<Float> {
    @inline(__always)
    func eight(at index: Int) -> SIMD8<Float> {
        UnsafeRawPointer(self + index).loadUnaligned(as: SIMD8<Float>.self)
    }

    @inline(__always)
    func four(at index: Int) -> SIMD4<Float> {
        UnsafeRawPointer(self + index).loadUnaligned(as: SIMD4<Float>.self)
    }
}

extension UnsafeMutablePointer<Float> {
    @inline(__always)
    func eight(at index: Int) -> SIMD8<Float> { UnsafePointer(self).eight(at: index) }

    @inline(__always)
    func four(at index: Int) -> SIMD4<Float> { UnsafePointer(self).four(at: index) }

    @inline(__always)
    func set(_ values: SIMD8<Float>, at index: Int) {
        UnsafeMutableRawPointer(self + index).storeBytes(of: values, as: SIMD8<Float>.self)
    }

    @inline(__always)
    func set(_ values: SIMD4<Float>, at index: Int) {
        UnsafeMutableRawPointer(self + index).storeBytes(of: values, as: SIMD4<Float>.self)
    }
}
