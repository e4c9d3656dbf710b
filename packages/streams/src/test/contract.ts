/** The sentences of the delivery contract in the documentation. */
import { readFileSync } from 'node:fs'

/** Returns the sentences by number: `3.2` is the second sentence of the third item. */
export function contractSentences(): ReadonlyMap<string, string> {
  const page = readFileSync(
    new URL('../../../../docs/reference/delivery-contract.md', import.meta.url),
    'utf8',
  )
  const section = page.split('\n## The delivery contract\n')[1]?.split('\n## ')[0]
  if (section === undefined) throw new Error('the page has no section "The delivery contract"')
  const items = section.split(/^\d+\. /m).slice(1)
  return new Map(
    items.flatMap((item, index) =>
      item
        .replace(/\s+/g, ' ')
        .trim()
        .split(/(?<=\.) (?=[A-Z`])/)
        .map((sentence, at): [string, string] => [`${index + 1}.${at + 1}`, sentence]),
    ),
  )
}
