/** Memoization of the last call: a signer mostly sees the same host, path and second. */

/** @param make - Its errors are not cached. */
export function memoizeLast<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  let lastKey: Key | undefined
  let made: Made | undefined
  return (key) => {
    if (made === undefined || key !== lastKey) {
      made = make(key)
      lastKey = key
    }
    return made
  }
}
