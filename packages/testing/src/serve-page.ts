/** Serves a page for a browser with its files, and receives the result that the page posts. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Browser } from './browsers.ts'
import { readBody, startHttpServer } from './http-server.ts'
import { RESULT_PATH } from './result-path.ts'

/** Options of a page. */
export interface PageOptions {
  /** Returns the type and the content of the file at a path; `undefined` if there is no file. */
  readonly fileAt: (path: string) => readonly [type: string, text: string | Uint8Array] | undefined
  /**
   * Responds to requests for which there is no file.
   * @defaultValue 404
   */
  readonly otherwise?: (request: IncomingMessage, response: ServerResponse) => void
  /** Time limit for the page. */
  readonly limitMs: number
}

/**
 * Starts a server for the page, opens its `/` in the browser, and closes both after the result.
 *
 * @returns The text that the page posts to {@link RESULT_PATH}.
 */
export async function askPage(browser: Browser, options: PageOptions): Promise<string> {
  const { fileAt, otherwise, limitMs } = options
  let onAnswer: (text: string) => void = () => {}
  const answer = new Promise<string>((resolve) => {
    onAnswer = resolve
  })
  const { url, close } = await startHttpServer(async (request, response) => {
    const path = request.url ?? '/'
    const file = fileAt(path)
    if (path === RESULT_PATH) {
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
