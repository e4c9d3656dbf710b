/** The pages that the check reads, and how long each may be. */

/** Pages for users. Generated pages, and the pages about sources and releases, have other readers. */
const FOR_USERS = /^README\.md$|^packages\/(?:[^/]+\/)?README\.md$|^docs\/.*\.md$/
const NOT_READ =
  /^docs\/(?:README|facts|specification|open-points|releasing)\.md$|^docs\/reference\/(?:options\/.*|errors|metrics|notices)\.md$|^packages\/testing\//

export const isUserPage = (file: string): boolean => FOR_USERS.test(file) && !NOT_READ.test(file)

/** Pages that describe what a thing is, and not what the reader does. */
const DESCRIPTION = /^docs\/(?:reference\/|concepts\/|stability\.md$)/

/** Whether the sentences of a page count for the share of sentences with "you". */
export const addressesReader = (file: string): boolean => !DESCRIPTION.test(file)

const PACKAGE_PAGE = /^packages\/[^/]+\/README\.md$/

/** The number of words outside of code blocks. */
export interface Budget {
  readonly min: number
  readonly max: number
}

/** Words in code spans count, words in code blocks do not: a page with a long example has fewer words. */
const PACKAGE_BUDGET: Budget = { min: 270, max: 500 }

/** A page may be a tenth longer than its budget. */
const SLACK = 1.1

/** The most words of a page, before the slack. */
const WORDS: Readonly<Record<string, number>> = {
  'docs/start/first-event.md': 500,
  'docs/start/first-signed-request.md': 500,
  'docs/start/connect-to-the-service.md': 600,
  'docs/start/packages.md': 350,
  'docs/concepts/overview.md': 500,
  'docs/concepts/service-limits.md': 480,
  'docs/concepts/glossary.md': 700,
  'docs/concepts/signatures.md': 700,
  'docs/concepts/access-tokens.md': 940,
  'docs/concepts/client-tokens.md': 530,
  'docs/concepts/stores-and-locks.md': 740,
  'docs/concepts/delivery-guarantees.md': 900,
  'docs/production-checklist.md': 560,
  'docs/troubleshooting.md': 1200,
  'docs/guides/signature-refused.md': 700,
  'docs/guides/verify-requests.md': 600,
  'docs/guides/call-operations.md': 600,
  'docs/guides/add-an-operation.md': 600,
  'docs/guides/place-orders.md': 600,
  'docs/guides/order-journal.md': 800,
  'docs/guides/order-backfill.md': 500,
  'docs/guides/share-a-token.md': 900,
  'docs/guides/wait-for-a-code.md': 500,
  'docs/guides/app-backend.md': 500,
  'docs/guides/http-requests.md': 920,
  'docs/guides/workers.md': 700,
  'docs/guides/write-a-store.md': 500,
  'docs/guides/running.md': 900,
  'docs/guides/trade-events.md': 600,
  'docs/guides/module-events.md': 800,
  'docs/guides/market-data.md': 780,
  'docs/guides/stream-connections.md': 600,
  'docs/guides/decode-payloads.md': 640,
  'docs/guides/relay.md': 1200,
  'docs/guides/simulator.md': 1100,
  'docs/guides/command-line.md': 700,
  'docs/migrate/python.md': 900,
  'docs/migrate/java.md': 600,
}

/** The budget of a page. `undefined`: the page has none. */
export function budgetOf(file: string): Budget | undefined {
  if (file === 'README.md') return { min: 0, max: 700 }
  if (PACKAGE_PAGE.test(file)) return PACKAGE_BUDGET
  const max = WORDS[file]
  return max === undefined ? undefined : { min: 0, max: Math.round(max * SLACK) }
}
