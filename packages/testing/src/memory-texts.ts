/** Text under keys, for the stores that tests have in their hand. The published drivers have their own suites. */

/** Texts, and the compare-and-set that every store is made of. */
export function memoryTexts() {
  const texts = new Map<string, string>()
  return {
    texts,
    /** @returns Whether it wrote. */
    replace(key: string, expected: string | undefined, next: string | undefined): boolean {
      if (texts.get(key) !== expected) return false
      if (next === undefined) texts.delete(key)
      else texts.set(key, next)
      return true
    },
  }
}
