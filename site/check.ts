/**
 * `pnpm docs:check`: opens pages of the built site in Chromium. They have no accessibility problem (axe, WCAG 2.1 AA)
 * and no horizontal scroll bar at 360 px. The search finds an error code first, and pages that explain a symptom. The workbench
 * sends nothing. Each page exists as Markdown too.
 * `--screenshots FOLDER` writes pictures of the pages, light and dark, wide and narrow.
 */
import { createHmac } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { encodeCanonical } from '@brokerwire/signer'
import { CHROMIUM } from '@brokerwire/testing/browsers'
import { startHttpServer } from '@brokerwire/testing/http-server'
import axe from 'axe-core'
import { chromium, type Page } from 'playwright-core'

const DIST = fileURLToPath(new URL('.vitepress/dist', import.meta.url))
const PAGES = [
  '/',
  '/start/first-event',
  '/concepts/access-tokens',
  '/concepts/delivery-guarantees',
  '/guides/share-a-token',
  '/troubleshooting',
  '/reference/errors',
  '/reference/options/streams',
  '/reference/api/@brokerwire/signer',
  '/packages/cli/commands',
  '/packages/signer',
  '/workbench',
]
/** Words that a reader with a problem types. A page that explains it is among the first results. */
const SYMPTOMS = ['second factor', 'rate limit', 'signature refused', 'reconnect']
const EXPLAINS = /^\/(?:concepts\/|guides\/|troubleshooting)/
const FIRST_RESULTS = 3
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  woff2: 'font/woff2',
}

const { values } = parseArgs({ options: { screenshots: { type: 'string' } } })
const problems: string[] = []
const requested: string[] = []

/** Returns the file for a path, as a host with clean URLs does. */
function fileAt(path: string): string | undefined {
  const file = join(DIST, normalize(decodeURIComponent(path)))
  return [file, `${file}.html`, join(file, 'index.html')].find((candidate) =>
    statSync(candidate, { throwIfNoEntry: false })?.isFile(),
  )
}

const { url, close } = await startHttpServer((request, response) => {
  const path = new URL(request.url ?? '/', 'http://site').pathname
  requested.push(path)
  const file = fileAt(path)
  if (file === undefined) response.writeHead(404).end()
  else response.setHeader('content-type', TYPES[file.split('.').at(-1) ?? ''] ?? '').end(readFileSync(file))
})
const browser = await chromium.launch({ executablePath: CHROMIUM.binary, args: ['--no-sandbox'] })

/** Opens a page, and waits until its requests have ended. */
async function open(path: string, width: number, isDark: boolean): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    colorScheme: isDark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  page.on('pageerror', (error) => problems.push(`${path}: ${error.message}`))
  await page.goto(url + path, { waitUntil: 'networkidle' })
  return page
}

async function checkPage(path: string, width: number, isDark: boolean): Promise<void> {
  const page = await open(path, width, isDark)
  const at = `${path} at ${width} px, ${isDark ? 'dark' : 'light'}`
  await page.evaluate(axe.source)
  // VitePress gives its search button another name than its text.
  const found = (await page.evaluate(
    `axe.run({ exclude: ['.DocSearch-Button'] }, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.length + ' x ' + nodes[0].html.slice(0, 120)))`,
  )) as string[]
  problems.push(...found.map((violation) => `${at}: ${violation}`))
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  if (Number(overflow) > 0) problems.push(`${at}: ${overflow} px wider than the window`)
  if (values.screenshots !== undefined) {
    const name = `${path.replace(/\W+/g, '-')}-${width}-${isDark ? 'dark' : 'light'}.png`
    await page.screenshot({ path: join(values.screenshots, name) })
  }
  await page.close()
}

/** Uses the workbench, and counts the requests after the page was loaded. */
async function checkWorkbench(): Promise<void> {
  const page = await open('/workbench', 1280, false)
  await page.locator('[data-canonical]').waitFor()
  await page.locator('[data-decoded]').waitFor()
  const before = requested.length
  const foreign: string[] = []
  page.on('request', (request) => foreign.push(request.url()))
  await page.getByLabel('Nonce').fill('00000000000000000000000000000001')
  await page.getByLabel('Canonical string of the other side').fill('/openapi/orders&note=a b')
  await page.locator('[data-comparison]').waitFor()
  const canonical = encodeCanonical((await page.locator('[data-canonical]').textContent()) ?? '')
  const wrong = createHmac('sha1', 'demo-app-secret').update(canonical).digest('base64')
  await page.getByLabel('Signature of the other side').fill(wrong)
  const mistake = await page.locator('[data-mistake]').textContent()
  if (!mistake?.includes('without the & at its end')) problems.push(`/workbench: unknown mistake: ${mistake}`)
  const decoded = await page.locator('[data-decoded]').textContent()
  if (!decoded?.includes('"484.0"')) problems.push('/workbench: the example is not decoded')
  await page.getByLabel('Payload of an order event').fill('{}')
  await page.getByRole('button', { name: 'Send a create request' }).click()
  await page.getByRole('button', { name: 'Response: PENDING' }).click()
  const state = await page.locator('[data-state]').textContent()
  if (state !== 'pending') problems.push(`/workbench: the token is ${state}; expected pending`)
  await page.getByRole('button', { name: 'Play' }).click()
  await page.locator('[data-items] .gap').first().waitFor()
  await page.waitForTimeout(500)
  const sent = [...requested.slice(before), ...foreign]
  if (sent.length > 0) problems.push(`/workbench: requests after it was loaded: ${sent.join(', ')}`)
  const blocked = await page.evaluate(`new Promise((resolve) => {
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective))
    fetch('http://127.0.0.1:9/').then(() => resolve('sent'), () => {})
  })`)
  if (blocked !== 'connect-src')
    problems.push(`/workbench: the policy blocked ${blocked}; expected connect-src`)
  await page.close()
}

/** Returns the paths of the first results, once the results of the query are shown. */
async function search(page: Page, query: string): Promise<(string | null)[]> {
  const results = page.locator('#localsearch-list a')
  await page.locator('#localsearch-input').fill('')
  await results.first().waitFor({ state: 'detached' })
  await page.locator('#localsearch-input').fill(query)
  await results.first().waitFor()
  const first = (await results.all()).slice(0, FIRST_RESULTS)
  return Promise.all(first.map((result) => result.getAttribute('href')))
}

async function checkSearch(): Promise<void> {
  const page = await open('/', 1280, false)
  await page.locator('.VPNavBarSearch button').first().click()
  const [code] = await search(page, 'TOKEN_PENDING')
  if (code !== '/reference/errors#token_pending')
    problems.push(`search for TOKEN_PENDING: the first result is ${code}`)
  for (const query of SYMPTOMS) {
    const found = await search(page, query)
    if (!found.some((href) => EXPLAINS.test(href ?? '')))
      problems.push(`search for "${query}": no guide, concept or troubleshooting in ${found.join(', ')}`)
  }
  await page.close()
}

function checkTextPages(): void {
  for (const path of PAGES) {
    const page = `${path.replace(/\/$/, '/index')}.md`
    if (fileAt(page) === undefined) problems.push(`${page} does not exist`)
  }
}

try {
  for (const path of PAGES)
    for (const width of [1280, 360])
      for (const isDark of [false, true])
        if (values.screenshots !== undefined || width === 360 || !isDark) await checkPage(path, width, isDark)
  await checkWorkbench()
  await checkSearch()
  checkTextPages()
} finally {
  await browser.close()
  await close()
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
else console.log(`docs: ${PAGES.length} pages`)
