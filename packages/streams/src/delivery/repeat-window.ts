/**
 * Repeats on the trade and position streams, which have no cursor and no unique id.
 *
 * A message is a repeat only if event type, request id and payload are all equal to one in the window: the request
 * id alone names a delivery (facts, Streams), and a second event under it must not be lost. The window keeps the
 * texts themselves, so that no hash can make two messages equal.
 */

/** What a message is to the window. */
export type Verdict = 'new' | 'repeat' | 'conflict'

/** Bounds of the window. */
export interface RepeatWindowBounds {
  readonly maxMessages: number
  /** Length of the payloads kept, in UTF-16 units. */
  readonly maxLength: number
}

/** Remembers messages. */
export interface RepeatWindow {
  /** Judges a message and remembers it. An empty request id names nothing: such a message is always new. */
  judge(eventType: number, requestId: string, payload: string): Verdict
}

/** Makes a window. */
export function createRepeatWindow(bounds: RepeatWindowBounds): RepeatWindow {
  const messages = new Map<string, string[]>()
  const order: { readonly key: string; readonly length: number }[] = []
  let head = 0
  let length = 0

  const forgetOldest = (): void => {
    const oldest = order[head]
    head += 1
    if (oldest === undefined) return
    length -= oldest.length
    const payloads = messages.get(oldest.key)
    payloads?.shift()
    if (payloads?.length === 0) messages.delete(oldest.key)
    if (head >= 1024) {
      order.splice(0, head)
      head = 0
    }
  }

  return {
    judge(eventType, requestId, payload) {
      if (requestId === '') return 'new'
      const key = `${eventType} ${requestId}`
      const known = messages.get(key)
      if (known?.includes(payload)) return 'repeat'
      if (known === undefined) messages.set(key, [payload])
      else known.push(payload)
      order.push({ key, length: payload.length })
      length += payload.length
      while (
        order.length - head > bounds.maxMessages ||
        (length > bounds.maxLength && order.length - head > 1)
      ) {
        forgetOldest()
      }
      return known === undefined ? 'new' : 'conflict'
    },
  }
}
