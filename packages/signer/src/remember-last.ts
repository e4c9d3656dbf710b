/** A function that remembers what it made last: a signer rarely sees another host, path or second. */

/** @param make - Whatever it throws is not remembered. */
export function rememberLast<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  let last: { readonly key: Key; readonly made: Made } | undefined
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, made: make(key) }
    return last.made
  }
}
