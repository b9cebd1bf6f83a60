import Glibc

/// The C library's functions of real numbers under their whole names.
func sine(_ radians: Double) -> Double { sin(radians) }
func cosine(_ radians: Double) -> Double { cos(radians) }
func arcTangent(_ y: Double, _ x: Double) -> Double { atan2(y, x) }
func arcCosine(_ value: Double) -> Double { acos(value) }
func exponential(_ exponent: Double) -> Double { exp(exponent) }
func naturalLogarithm(_ value: Double) -> Double { log(value) }

/// The standard acceleration of free fall, m/s² (BIPM, The International System of Units, 9th edition).
let standardGravity = 9.80665

/// Radians a second of one revolution a minute.
let radiansPerSecondPerRPM = 2 * Double.pi / 60
