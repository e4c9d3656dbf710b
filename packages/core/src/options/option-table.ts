/**
 * Options read by a table, one row for each: unknown names are refused, and what is given is checked, in one call.
 *
 * A row is a function of how to fail, the option's name and its value. Rows that depend on each other are no table's.
 */

import { describe, isRecord } from '../guards.ts'
import type { AbortSignalLike } from '../structural.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import type { OptionFailure } from './failure.ts'
import { requireKnownOptions } from './known-options.ts'
import {
  readBoolean,
  readFunction,
  readInteger,
  readOneOf,
  readSignal,
  requireObject,
  requirePort,
  requireText,
} from './options.ts'
import { ownOptions } from './own-options.ts'

/** Reads one option. @throws What `fail` makes. */
export type OptionRow<T> = (fail: OptionFailure, option: string, value: unknown) => T

/** What a table gives. */
export type OptionsRead<Table> = {
  readonly [K in keyof Table]: Table[K] extends OptionRow<infer T> ? T : never
}

/** A whole number within bounds. Without a fallback it is needed. */
export const integerRow =
  (min: number, max: number, fallback?: number | undefined): OptionRow<number> =>
  (fail, option, value) =>
    readInteger(fail, option, value, { min, max, fallback })

/** Milliseconds, a day at most. */
export const durationRow = (fallback: number): OptionRow<number> => integerRow(1, 86_400_000, fallback)

/** `true` or `false`. */
export const booleanRow =
  (fallback: boolean): OptionRow<boolean> =>
  (fail, option, value) =>
    readBoolean(fail, option, value, fallback)

/** One of the listed texts. Without a fallback it is needed. */
export const oneOfRow =
  <const T extends string>(allowed: readonly T[], fallback?: NoInfer<T> | undefined): OptionRow<T> =>
  (fail, option, value) =>
    readOneOf(fail, option, value, allowed, fallback)

/** A function. Without a fallback it may be missing. */
export function functionRow<T>(): OptionRow<T | undefined>
export function functionRow<T>(fallback: T): OptionRow<T>
export function functionRow<T>(fallback?: T): OptionRow<T | undefined> {
  return (fail, option, value) => readFunction(fail, option, value as T | undefined, fallback)
}

/** An object. What is in it is not looked at. */
export const objectRow =
  <T extends object>(): OptionRow<T> =>
  (fail, option, value) => {
    requireObject(fail, option, value)
    return value as T
  }

/** An object that has these methods. What they do is not looked at. */
export const portRow =
  <T>(methods: readonly (keyof T & string)[]): OptionRow<T> =>
  (fail, option, value) =>
    requirePort(fail, option, value as T, methods)

/** A clock, or the host's. */
export const clockRow: OptionRow<Clock> = (fail, option, value = systemClock) =>
  requirePort(fail, option, value as Clock, ['now', 'setTimer'])

/** An abort signal, or none. */
export const signalRow: OptionRow<AbortSignalLike | undefined> = (fail, _option, value) =>
  readSignal(fail, value as AbortSignalLike | undefined)

/** A text that is not empty. */
export const textRow: OptionRow<string> = requireText

/** Another row, or `undefined` where nothing is given. */
export const optionalRow =
  <T>(row: OptionRow<T>): OptionRow<T | undefined> =>
  (fail, option, value) =>
    value === undefined ? undefined : row(fail, option, value)

/** What its reader checks elsewhere, as it is given. */
export const anyRow =
  <T>(): OptionRow<T> =>
  (_fail, _option, value) =>
    value as T

/** Options within others. */
export const tableRow =
  <Table extends Readonly<Record<string, OptionRow<unknown>>>>(table: Table): OptionRow<OptionsRead<Table>> =>
  (fail, option, value) =>
    readOptions(fail, option, value, table)

/** An array whose elements are checked one by one. @param fallback - Without one the array is needed, and not empty. */
export const listRow =
  <T>(
    expected: string,
    element: OptionRow<T>,
    fallback?: readonly T[] | undefined,
  ): OptionRow<readonly T[]> =>
  (fail, option, value) => {
    if (value === undefined && fallback !== undefined) return fallback
    if (!Array.isArray(value) || (fallback === undefined && value.length === 0)) {
      throw fail(option, expected, describe(value))
    }
    return value.map((item, index) => element(fail, `${option}[${index}]`, item))
  }

/**
 * Reads options.
 *
 * @param name - Of the object itself, for the message; its options are named behind it and a dot, those of `'options'`
 * by themselves.
 * @throws What `fail` makes, for an option that the table does not have, and where a row does.
 */
export function readOptions<Table extends Readonly<Record<string, OptionRow<unknown>>>>(
  fail: OptionFailure,
  name: string,
  input: unknown,
  table: Table,
): OptionsRead<Table> {
  requireObject(fail, name, input)
  const path = name === 'options' ? '' : `${name}.`
  requireKnownOptions(fail, input, Object.keys(table), path)
  const given = ownOptions(isRecord(input) ? input : {})
  const rows = Object.entries(table).map(([option, row]) => [option, row(fail, path + option, given[option])])
  return Object.fromEntries(rows) as OptionsRead<Table>
}

/** The same as `RECONNECT_OPTIONS`, for tables. */
export const RECONNECT_ROWS = {
  stableAfterMs: durationRow(60_000),
  backoffBaseMs: durationRow(1000),
  backoffMaxMs: durationRow(30_000),
  connectionLimitWaitMs: durationRow(60_000),
  connectionLimitMaxMs: durationRow(600_000),
  maxAttempts: optionalRow(integerRow(1, Number.MAX_SAFE_INTEGER)),
}
