/** Iteration over pages, with a client that answers from a list. */
import { expect, test } from 'vitest'
import { getOrder, listOrderHistory, type OperationClient, type Page, paginate } from './index.ts'

type Client = OperationClient<{ readonly timeoutMs: number }>

/** A client whose pages have one item each, and these cursors. */
function pagesOf(keys: readonly (string | undefined)[]) {
  const inputs: unknown[] = []
  const client: Client = {
    request: (_operation, input) => {
      inputs.push(input)
      const key = keys[inputs.length - 1]
      const next = key === undefined ? undefined : { paginationKey: key }
      const data: Page<number, unknown> = { items: [inputs.length], next, extra: {} }
      return Promise.resolve({ data: data as never })
    },
  }
  return { client, inputs }
}

async function collect(client: Client): Promise<unknown[]> {
  const items: unknown[] = []
  for await (const item of paginate(client, listOrderHistory, { accountId: 'A1' })) items.push(item)
  return items
}

test('repeats the input with the cursor of the page before', async () => {
  const { client, inputs } = pagesOf(['k1', 'k2', undefined])
  expect(await collect(client)).toEqual([1, 2, 3])
  expect(inputs).toEqual([
    { accountId: 'A1' },
    { accountId: 'A1', paginationKey: 'k1' },
    { accountId: 'A1', paginationKey: 'k2' },
  ])
})

test('requests a page only when the one before is consumed', async () => {
  const { client, inputs } = pagesOf(['k1', undefined])
  const items = paginate(client, listOrderHistory, { accountId: 'A1' })
  expect(await items.next()).toEqual({ done: false, value: 1 })
  expect(inputs).toHaveLength(1)
  await items.return()
})

test.each([1, 2, 3, 7])('ends with an error if %i cursors repeat in a circle', async (period) => {
  const keys = Array.from({ length: 100 }, (_, index) => `k${index % period}`)
  const { client, inputs } = pagesOf(keys)
  await expect(collect(client)).rejects.toThrow(expect.objectContaining({ code: 'OPERATION_PAGE_REPEATED' }))
  expect(inputs.length).toBeLessThan(8 * period)
})

test('sends nothing for an operation without pages', async () => {
  const { client, inputs } = pagesOf([undefined])
  const items = paginate(client, getOrder as never, { accountId: 'A1' } as never)
  await expect(items.next()).rejects.toThrow('paginate needs an operation with pages; received orders.get')
  expect(inputs).toEqual([])
})

test('reports the issues of each page that has some', async () => {
  const client: Client = {
    async request(operation, _input) {
      const text = () => '{"data":[{"orders":[],"combo_type":{"not":"text"}}],"pagination_key":null}'
      const request = listOrderHistory.createRequest({ accountId: 'A1' }, { pathFamily: 'current' })
      return operation.readResponse({ status: 200, requestId: 'r1', text }, request)
    },
  }
  const reports: unknown[] = []
  const onIssues = (issues: unknown) => reports.push(issues)
  for await (const _ of paginate(client, listOrderHistory, { accountId: 'A1' }, undefined, { onIssues }));
  expect(reports).toEqual([[expect.objectContaining({ path: ['data', 0, 'combo_type'] })]])
})
