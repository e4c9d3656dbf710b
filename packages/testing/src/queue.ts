/** Items in the order received, for tests that wait for the next one. */

/** A queue without a limit. */
export interface Queue<T> {
  push(item: T): void
  /**
   * Removes and returns the first item that matches, or waits for one.
   * @defaultValue any item
   */
  next(matches?: (item: T) => boolean): Promise<T>
}

/** Creates an empty queue. */
export function createQueue<T>(): Queue<T> {
  const items: T[] = []
  const waiting: { matches(item: T): boolean; resolve(item: T): void }[] = []
  return {
    push(item) {
      const index = waiting.findIndex(({ matches }) => matches(item))
      if (index === -1) items.push(item)
      else waiting.splice(index, 1)[0]?.resolve(item)
    },
    next(matches = () => true) {
      return new Promise((resolve) => {
        const index = items.findIndex(matches)
        if (index === -1) waiting.push({ matches, resolve })
        else for (const item of items.splice(index, 1)) resolve(item)
      })
    },
  }
}
