/** A function that remembers what it made last: a signer rarely sees another host, path or second. */

/** @param make - Whatever it throws is not remembered. */
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
