/** A page for a browser, its files, and the answer that the page sends back. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ANSWER_PATH } from './answer-path.ts'
import type { Browser } from './browsers.ts'
import { readBody, startHttpServer } from './http-server.ts'

/** Options of a page. */
export interface PageOptions {
  /** The file at a path: its type and its text; `undefined` if there is none. */
  readonly fileAt: (path: string) => readonly [type: string, text: string | Uint8Array] | undefined
  /** Answers requests for which there is no file. @defaultValue 404 */
  readonly otherwise?: (request: IncomingMessage, response: ServerResponse) => void
  /** How long the page may take. */
  readonly limitMs: number
}

/** Opens `/` of a server in the browser. @returns The text that the page posts to {@link ANSWER_PATH}. */
export async function askPage(browser: Browser, options: PageOptions): Promise<string> {
  const { fileAt, otherwise, limitMs } = options
  let onAnswer: (text: string) => void = () => {}
  const answer = new Promise<string>((resolve) => {
    onAnswer = resolve
  })
  const { url, close } = await startHttpServer(async (request, response) => {
    const path = request.url ?? '/'
    const file = fileAt(path)
    if (path === ANSWER_PATH) {
      const body = await readBody(request)
      response.end()
      onAnswer(body.toString())
    } else if (file !== undefined) response.setHeader('content-type', file[0]).end(file[1])
    else if (otherwise === undefined) response.writeHead(404).end()
    else otherwise(request, response)
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the page did not answer in ${browser.name}`)), limitMs)
  })
  try {
    const closePage = await browser.open(`${url}/`)
    try {
      return await Promise.race([answer, late])
    } finally {
      await closePage()
    }
  } finally {
    clearTimeout(timer)
    await close()
  }
}
