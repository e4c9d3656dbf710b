/** Memoization of the last call. Most signatures have the same host, path and second as the one before. */

/** Memoizes the last result of `make`. Errors are not cached. */
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
