/**
 * Opaque cursors of the module stream. They are log positions that are encoded differently for each event
 * type. The simulator can decode a cursor to its position, but cursors do not sort in the order of events. A
 * client that compares cursors or calculates with them fails with the simulator instead of in production.
 */

const SHAPE = /^C([0-9A-F]{8})AD([0-9A-F]{2})$/
const MULTIPLIER = 0x9e3779b1
/** The multiplier's inverse modulo 2^32. */
const INVERSE = 0x0e8b2f51

/** Encodes and decodes the cursors of one event type. */
export interface PositionCodec {
  /** @param index - Position in the log, from 0. */
  encode(index: number): string
  /** Returns the log position. `undefined` if `position` is not a cursor of this event type. */
  decode(position: string): number | undefined
}

/** @param seed - Simulators with different seeds cannot decode each other's cursors. */
export function createPositionCodec(seed: number, eventType: string): PositionCodec {
  let mask = seed >>> 0
  for (const char of eventType) {
    mask = (Math.imul(mask ^ (char.codePointAt(0) ?? 0), 0x01000193) + 0x811c9dc5) >>> 0
  }
  const check = (mask ^ (mask >>> 8) ^ (mask >>> 16) ^ (mask >>> 24)) & 0xff
  const hex = (value: number, length: number): string =>
    value.toString(16).toUpperCase().padStart(length, '0')
  return {
    encode: (index) => `C${hex((Math.imul(index, MULTIPLIER) ^ mask) >>> 0, 8)}AD${hex(check, 2)}`,
    decode(position) {
      const match = SHAPE.exec(position)
      if (match === null || Number.parseInt(match[2] ?? '', 16) !== check) return undefined
      return Math.imul(Number.parseInt(match[1] ?? '', 16) ^ mask, INVERSE) >>> 0
    },
  }
}
