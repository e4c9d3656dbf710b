/**
 * Own properties of option objects. Properties that other code has added to `Object.prototype` are ignored:
 * such a property must not disable a check, send a payment again or omit a token.
 */

/** Returns an option if it is an own property, otherwise `undefined`. */
export function ownOption<T extends object, K extends keyof T>(options: T, name: K): T[K] | undefined {
  return Object.hasOwn(options, name) ? options[name] : undefined
}

/**
 * Copies the own properties of options. Getters are called once.
 *
 * @returns A copy without a prototype; an empty object if `options` is not an object.
 */
export function ownOptions<T>(options: T): T {
  return { __proto__: null, ...options }
}
