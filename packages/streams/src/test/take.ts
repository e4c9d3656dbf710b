/** Takes items from a stream in tests. */
import type { EventStream } from '../event-stream.ts'

/** The next `count` items. */
export async function take<Item>(stream: EventStream<Item>, count: number): Promise<Item[]> {
  const items: Item[] = []
  while (items.length < count) {
    const result = await stream.next()
    if (result.done) throw new Error(`the stream ended after ${items.length} of ${count} items`)
    items.push(result.value)
  }
  return items
}

/** What an item is, in a word. */
export function label(item: {
  readonly kind: string
  readonly requestId?: string
  readonly id?: string
}): string {
  return item.requestId ?? item.id ?? item.kind
}

/** The labels of the next items. */
export async function takeLabels<Item extends Parameters<typeof label>[0]>(
  stream: EventStream<Item>,
  count: number,
): Promise<string[]> {
  return (await take(stream, count)).map(label)
}
