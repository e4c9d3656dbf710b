/**
 * Replaces values in JSON text and leaves all other bytes unchanged. `JSON.parse` and `JSON.stringify` would
 * lose digits, white space and the order of keys.
 */

/**
 * The last two names on the path of a value, innermost last. Elements of an array have the name of the array.
 * Longer paths are not stored, so that many levels need no additional time.
 */
export type NamePath = readonly string[]

/** Returns the new value of a string or number. `undefined` leaves it unchanged. */
export type Replace = (text: string, path: NamePath, type: 'string' | 'number' | 'name') => string | undefined

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],:]/g

/**
 * Visits strings, numbers and names.
 *
 * @param replace - Receives and returns strings without JSON escapes. For a number it returns digits.
 * @returns `undefined` if the text is not JSON.
 */
export function replaceInJson(text: string, replace: Replace): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  /** Name of each open container. An array has the name of the container that contains it. */
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
