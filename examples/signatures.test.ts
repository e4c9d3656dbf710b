/** The outputs that the pages about signatures show, and the example's signature by the functions of Node. */
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { EXAMPLES } from './test/bundle-programs.ts'
import { runExample } from './test/run-example.ts'

/** Runs an example, and returns its output and that of the page. */
async function outputs(program: string, page: string): Promise<{ printed: string; shown: string }> {
  const example = runExample(program, {})
  expect(await example.ended).toBe(0)
  const text = await readFile(join(EXAMPLES, '../docs', page), 'utf8')
  const [, after = ''] = text.split(`<!-- example: examples/${program} -->`)
  const [, shown = ''] = /^```text\n([\s\S]*?)\n```$/m.exec(after) ?? []
  return { printed: example.lines.join('\n'), shown }
}

test('the concept page shows each step of a signature, and Node computes the same HMAC', async () => {
  const { printed, shown } = await outputs('signature-steps.ts', 'concepts/signatures.md')
  expect(printed).toBe(shown)
  const step = (name: string): string => new RegExp(`^${name} +(.*)$`, 'm').exec(shown)?.[1] ?? ''
  expect(encodeURIComponent(step('joined'))).toBe(step('encoded'))
  expect(createHmac('sha1', 'my-secret&').update(step('encoded')).digest('base64')).toBe(step('signature'))
})

test('the guide for a rejected signature shows the first difference and its cause', async () => {
  const { printed, shown } = await outputs('compare-signatures.ts', 'guides/signature-refused.md')
  expect(printed).toBe(shown)
})
