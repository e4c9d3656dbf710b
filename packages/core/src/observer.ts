/**
 * Observers: objects of functions that receive reports and change nothing. One object can serve several packages, so each package
 * reads its own functions and ignores all others.
 */
import { isRecord, typeName } from './guards.ts'
import { notify } from './iteration/notify.ts'
import type { Schema } from './options/schema.ts'

/**
 * An observer with these functions. They are read once and bound to the object, which may be an instance of a class.
 *
 * @param names - The names of all functions of the observer.
 */
export const observer =
  <T extends object>(names: Readonly<Record<keyof T & string, true>>): Schema<T> =>
  (value = { __proto__: null }, path, fail) => {
    if (!isRecord(value)) throw fail(path, 'an object', typeName(value))
    const functions = Object.keys(names).map((name) => {
      const listener: unknown = value[name]
      if (listener === undefined) return [name, undefined]
      if (typeof listener !== 'function') throw fail(`${path}.${name}`, 'a function', typeName(listener))
      return [name, listener.bind(value)]
    })
    return Object.fromEntries(functions) as T
  }

type ReportOf<Listener> = Listener extends (report: infer Report) => void ? Report : never

/** Calls a function of an observer. The properties of `Source` are added to the report. */
export type Reporter<T, Source> = <Name extends keyof T>(
  name: Name,
  report: Omit<ReportOf<NonNullable<T[Name]>>, keyof Source>,
) => void

/**
 * Creates a function that reports to an observer. Errors of the observer are ignored.
 *
 * @param source - Properties that identify the source, added to each report.
 *
 * @example
 * ```ts
 * import { createReporter } from '@brokerwire/core/internal'
 *
 * interface Observer {
 *   readonly onState?: ((report: { readonly clientId: string; readonly state: string }) => void) | undefined
 * }
 *
 * declare const observer: Observer
 *
 * const report = createReporter(observer, { clientId: 'client-1' })
 * report('onState', { state: 'open' })
 * ```
 */
export function createReporter<T extends object, Source extends object>(
  observer: T,
  source: Source,
): Reporter<T, Source> {
  return (name, report) => {
    const listener = observer[name] as ((report: object) => unknown) | undefined
    if (listener !== undefined) notify(() => listener({ ...source, ...report }))
  }
}
