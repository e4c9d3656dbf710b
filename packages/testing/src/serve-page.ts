/** A page for a browser, its files, and what it says: for tests that ask a browser and wait for the answer. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ANSWER_PATH } from './answer-path.ts'
import type { Browser } from './browsers.ts'

/** How to ask. */
export interface PageOptions {
  /** What stands under a path: a text with its type, or `undefined` where nothing does. */
  readonly fileAt: (path: string) => readonly [type: string, text: string | Uint8Array] | undefined
  /** Answers what is no file. @defaultValue 404 */
  readonly otherwise?: (request: IncomingMessage, response: ServerResponse) => void
  /** How long the page may take. */
  readonly limitMs: number
}

/** Opens `/` of a server in the browser. @returns What the page posted to {@link ANSWER_PATH}. */
export async function askPage(browser: Browser, options: PageOptions): Promise<string> {
  const { fileAt, otherwise, limitMs } = options
  let answered: (text: string) => void = () => {}
  const answer = new Promise<string>((resolve) => {
    answered = resolve
  })
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    if (path === ANSWER_PATH) {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        response.end()
        answered(Buffer.concat(chunks).toString())
      })
      return
    }
    const file = fileAt(path)
    if (file !== undefined) response.setHeader('content-type', file[0]).end(file[1])
    else if (otherwise === undefined) response.writeHead(404).end()
    else otherwise(request, response)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the page did not answer in ${browser.name}`)), limitMs)
  })
  try {
    const close = await browser.open(`http://127.0.0.1:${port}/`)
    try {
      return await Promise.race([answer, late])
    } finally {
      await close()
    }
  } finally {
    clearTimeout(timer)
    server.closeAllConnections()
    server.close()
  }
}
