/** Returns everything that a log could show of a value, including its causes and hidden properties. */
export function readAll(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null || seen.has(value)) return String(value)
  seen.add(value)
  const texts = Reflect.ownKeys(value).map((name) => {
    const part: unknown = Reflect.get(value, name)
    return `${String(name)}: ${typeof part === 'function' ? '' : readAll(part, seen)}`
  })
  return `${String(value)} ${JSON.stringify(value)} ${texts.join('\n')}`
}
