/** Readers of options that share how they fail, with the bounds that durations have here. */
import type { OptionFailure } from '@brokerwire/core/internal'
import { readBoolean, readInteger } from './checks.ts'

/** Milliseconds of a day. */
export const DAY_MS = 86_400_000

/** The longest time that an option may name: instants beyond it would be no dates. */
const LONGEST_MS = 10_000 * DAY_MS

/** Reads numbers and flags. */
export interface Readers {
  integer(name: string, value: unknown, min: number, max: number, fallback: number): number
  duration(name: string, value: unknown, fallback: number, min: number): number
  flag(name: string, value: unknown, fallback: boolean): boolean
}

/** @param fail - Makes the error. */
export function readersOf(fail: OptionFailure): Readers {
  const integer: Readers['integer'] = (name, value, min, max, fallback) =>
    readInteger(fail, name, value, { min, max, fallback })
  return {
    integer,
    duration: (name, value, fallback, min) => integer(name, value, min, LONGEST_MS, fallback),
    flag: (name, value, fallback) => readBoolean(fail, name, value, fallback),
  }
}
