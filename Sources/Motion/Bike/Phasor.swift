#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A complex number.
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
}

/// Eight channels demodulated at one frequency: averages of the channels times the conjugate of a rotating phasor.
struct PhasorBank {
    private var realParts = EightFloats()
    private var imaginaryParts = EightFloats()

    private var real: SIMD8<Float> {
        get { realParts.vector }
        set { realParts.vector = newValue }
    }

    private var imaginary: SIMD8<Float> {
        get { imaginaryParts.vector }
        set { imaginaryParts.vector = newValue }
    }

    var energy: Float { energies.sum() }
    /// The energy of each channel.
    var energies: SIMD8<Float> { real * real + imaginary * imaginary }

    /// Moves these averages towards the input of another bank since it was `earlier`, of which it has the share `kept`.
    mutating func approach(_ later: PhasorBank, since earlier: PhasorBank, kept: Float, _ gain: Float) {
        let share = 1 / (1 - kept)
        real += ((later.real - earlier.real * kept) * share - real) * gain
        imaginary += ((later.imaginary - earlier.imaginary * kept) * share - imaginary) * gain
    }

    /// The phase of this bank relative to another, radians.
    func phase(against other: PhasorBank) -> Float {
        let cosine = (real * other.real + imaginary * other.imaginary).sum()
        let sine = (imaginary * other.real - real * other.imaginary).sum()
        return cosine == 0 && sine == 0 ? 0 : atan2(sine, cosine)
    }
}
