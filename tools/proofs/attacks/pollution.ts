/** A value on `Object.prototype`, as a broken or hostile library leaves it, for the length of one action. */

export async function withPollution(
  name: string,
  value: unknown,
  action: () => Promise<void>,
): Promise<void> {
  const before = Object.getOwnPropertyDescriptor(Object.prototype, name)
  Object.defineProperty(Object.prototype, name, {
    value,
    writable: true,
    enumerable: false,
    configurable: true,
  })
  try {
    await action()
  } finally {
    if (before === undefined) Reflect.deleteProperty(Object.prototype, name)
    else Object.defineProperty(Object.prototype, name, before)
  }
}
