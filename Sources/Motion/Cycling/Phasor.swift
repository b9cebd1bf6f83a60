#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A complex number that turns.
struct Phasor {
    var real: Float
    var imaginary: Float

    init(real: Float, imaginary: Float) {
        self.real = real
        self.imaginary = imaginary
    }

    init(angle: Float) {
        real = cos(angle)
        imaginary = sin(angle)
    }

    @inline(__always)
    func times(_ other: Phasor) -> Phasor {
        Phasor(
            real: real * other.real - imaginary * other.imaginary,
            imaginary: real * other.imaginary + imaginary * other.real)
    }

    /// The same direction with length 1.
    var normalised: Phasor {
        let length = (real * real + imaginary * imaginary).squareRoot()
        return length > 1e-6 ? Phasor(real: real / length, imaginary: imaginary / length) : Phasor(angle: 0)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        coder.code(&real)
        coder.code(&imaginary)
    }
}

/// The slow averages of eight channels, each multiplied with a turning phasor's conjugate.
struct PhasorBank {
    private var real = SIMD8<Float>.zero
    private var imaginary = SIMD8<Float>.zero

    var energy: Float { (real * real + imaginary * imaginary).sum() }

    @inline(__always)
    mutating func push(_ channels: SIMD8<Float>, _ phasor: Phasor, _ gain: Float) {
        real += (channels * phasor.real - real) * gain
        imaginary += (channels * -phasor.imaginary - imaginary) * gain
    }

    /// What the averages make of the channels at the phasor's phase.
    @inline(__always)
    func wave(_ phasor: Phasor) -> SIMD8<Float> {
        2 * (real * phasor.real - imaginary * phasor.imaginary)
    }

    mutating func rotate(_ phasor: Phasor) {
        let turned = real * phasor.real - imaginary * phasor.imaginary
        imaginary = real * phasor.imaginary + imaginary * phasor.real
        real = turned
    }

    /// By how much this bank is turned against another, in radians.
    func phase(against other: PhasorBank) -> Float {
        let cosine = (real * other.real + imaginary * other.imaginary).sum()
        let sine = (imaginary * other.real - real * other.imaginary).sum()
        return cosine == 0 && sine == 0 ? 0 : atan2(sine, cosine)
    }

    mutating func transfer(_ coder: inout some StateCoder) {
        for lane in 0..<8 {
            coder.code(&real[lane])
            coder.code(&imaginary[lane])
        }
    }
}
