/** Arbitraries of values on the wire. */
import fc from 'fast-check'

const digits = (min: number, max: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max })

/** A decimal in any valid format. */
export function decimalText(): fc.Arbitrary<string> {
  return fc
    .record({
      sign: fc.constantFrom('', '-', '+'),
      whole: digits(1, 30),
      fraction: fc.option(digits(1, 20)),
      exponent: fc.option(
        fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.integer({ min: 0, max: 60 })),
      ),
    })
    .map(({ sign, whole, fraction, exponent }) =>
      [sign, whole, fraction === null ? '' : `.${fraction}`, exponent?.join('') ?? ''].join(''),
    )
}
