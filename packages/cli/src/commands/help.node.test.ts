import { describe, expect, test } from 'vitest'
import { ERROR_ROWS } from '../help/error-rows.ts'
import { run } from '../test/run.ts'

describe('brokerwire help', () => {
  test.each([['TOKEN_PENDING'], ['token_pending']])('explains the error code %s', async (topic) => {
    const row = ERROR_ROWS.find(({ code }) => code === 'TOKEN_PENDING')
    const { status, out } = await run(['help', topic])
    expect(status).toBe(0)
    expect(out).toEqual([
      'TOKEN_PENDING  @brokerwire/tokens',
      '',
      row?.meaning,
      '',
      'Retry:       yes',
      `What to do:  ${row?.remedy}`,
      `Message:     ${row?.message}`,
      'More:        https://brokerwire.example/reference/errors#token_pending',
    ])
  })

  test('prints the description as JSON', async () => {
    const { out } = await run(['help', 'HTTP_RATE_LIMITED', '--json'])
    expect(JSON.parse(out.join(''))).toEqual({
      ...ERROR_ROWS.find(({ code }) => code === 'HTTP_RATE_LIMITED'),
      help: 'https://brokerwire.example/reference/errors#http_rate_limited',
    })
  })

  test.each([[[]], [['token']], [['token', 'create']], [['listen']]])(
    'shows the help of the command %j',
    async (words) => {
      const { status, out } = await run(['help', ...words])
      expect(status).toBe(0)
      expect(out).toEqual((await run([...words, '--help'])).out)
    },
  )

  test('suggests a code for a misspelled one', async () => {
    const { status, err } = await run(['help', 'TOKEN_PENDNG'])
    expect(status).toBe(2)
    expect(err.join('\n')).toContain('Did you mean "TOKEN_PENDING"?')
  })
})
