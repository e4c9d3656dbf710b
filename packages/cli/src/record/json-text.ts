/**
 * Changes values in a JSON text and leaves every other byte as it was: a payload that went through `JSON.parse` and back
 * would have lost digits, spaces and the order of its keys.
 */

/**
 * The last two names around a value, the innermost last. Elements of an array have the array's. Of deeper nesting not more
 * is kept, so that a text of many levels takes no longer than another.
 */
export type Place = readonly string[]

/** What shall stand instead of a text or a number; `undefined`: as it is. */
export type Replace = (text: string, place: Place, type: 'string' | 'number' | 'name') => string | undefined

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],:]/g

/**
 * Walks over texts, numbers and names.
 *
 * @param replace - Gets texts as they are meant, and answers so; of a number it answers digits.
 * @returns `undefined` where the text is no JSON.
 */
export function replaceInJson(text: string, replace: Replace): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  /** Of each container around, the name before it, or that of the one outside for an array. */
  const place: string[] = []
  const depths: number[] = []
  const isObject: boolean[] = []
  let name: string | undefined
  let expectsName = false
  return text.replace(TOKEN, (token) => {
    switch (token) {
      case '{':
      case '[':
        depths.push(place.length)
        if (name !== undefined) place.push(name)
        name = undefined
        isObject.push(token === '{')
        expectsName = token === '{'
        return token
      case '}':
      case ']':
        place.length = depths.pop() ?? 0
        isObject.pop()
        name = undefined
        expectsName = false
        return token
      case ',':
        name = undefined
        expectsName = isObject.at(-1) === true
        return token
      case ':':
        expectsName = false
        return token
    }
    const isText = token.startsWith('"')
    const value: string = isText ? JSON.parse(token) : token
    if (expectsName) {
      name = value
      expectsName = false
      const renamed = replace(value, place.slice(-2), 'name')
      return renamed === undefined ? token : JSON.stringify(renamed)
    }
    const at = name === undefined ? place.slice(-2) : [...place.slice(-1), name]
    const replaced = replace(value, at, isText ? 'string' : 'number')
    if (replaced === undefined) return token
    return isText ? JSON.stringify(replaced) : replaced
  })
}
