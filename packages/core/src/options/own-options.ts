/**
 * What an object itself has. What was written into `Object.prototype` is no option: it must not switch a
 * protection off, repeat a payment or leave a token out.
 */

/** One option, where the object itself has it. */
export function ownOption<T extends object, K extends keyof T>(options: T, name: K): T[K] | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined
}

/**
 * Options or inputs as they are given, read once.
 *
 * @returns A copy without a prototype of what the object itself has; an empty one of what is no object.
 */
export function ownOptions<T>(options: T): T {
  return { __proto__: null, ...options }
}
