/**
 * Server-sent events of a response's body. The browser's own reader of them sends no header, and keeps to itself why it was
 * refused.
 */

/** One of them. */
export interface FeedMessage {
  readonly name: string
  readonly id: string | undefined
  readonly data: string
}

/** Reads to the end. What is cut off at the end is left out. */
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
    // A long line comes in many parts: it is looked at once, when its end is there.
    if (!value.includes('\n')) continue
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) take(messageOf(block))
  }
}

function messageOf(block: string): FeedMessage {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
  return { name: fields.get('event') ?? '', id: fields.get('id'), data: fields.get('data') ?? 'null' }
}
