/**
 * A parser of server-sent events from a response's body. `EventSource` is not used, because it cannot send headers and does not
 * report the status of a rejected request.
 */

/** A server-sent event. */
export interface FeedMessage {
  readonly name: string
  readonly id: string | undefined
  readonly data: string
}

/** Reads messages until the end of the body. Ignores an incomplete message at the end. */
export async function readMessages(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (message: FeedMessage) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    rest += value
    // A long line arrives in many chunks. It is parsed only once, when its end has arrived.
    if (!value.includes('\n')) continue
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) take(parseMessage(block))
  }
}

function parseMessage(block: string): FeedMessage {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
  return { name: fields.get('event') ?? '', id: fields.get('id'), data: fields.get('data') ?? 'null' }
}
