/** Signs, explains and compares in the page itself, with the toolkit's own signer: nothing typed here is sent anywhere. */
import {
  type Comparison,
  compare,
  createSigner,
  type Explanation,
  explain,
  fromUrl,
} from '@brokerwire/signer'
import { useEffect, useState } from 'preact/hooks'
import { say } from '../model/calls.ts'
import { type Example, exampleQuery, readExample } from '../model/example.ts'
import { place } from '../model/store.ts'
import { CanonicalTable } from '../parts/canonical-table.tsx'
import { Area, Choice, Line, Text, View } from '../parts/common.tsx'
import { ComparisonText } from '../parts/comparison.tsx'

interface Signed {
  readonly explanation: Explanation
  readonly headers: Readonly<Record<string, string>>
}

export function Workbench() {
  const [example, setExample] = useState<Example>(() => readExample(place.value.query))
  const [secret, setSecret] = useState('')
  const [theirs, setTheirs] = useState('')
  const [signed, setSigned] = useState<Signed | undefined>(undefined)
  const [problem, setProblem] = useState('')
  const [found, setFound] = useState<Comparison | undefined>(undefined)
  const set = (name: keyof Example) => (value: string) => setExample({ ...example, [name]: value })

  useEffect(() => {
    let isStale = false
    sign(example, secret).then(
      (result) => {
        if (isStale) return
        setSigned(result)
        setProblem('')
      },
      (error: unknown) => {
        if (isStale) return
        setSigned(undefined)
        setProblem(error instanceof Error ? error.message : String(error))
      },
    )
    return () => {
      isStale = true
    }
  }, [example, secret])

  useEffect(() => {
    let isStale = false
    setFound(undefined)
    if (signed === undefined || theirs.trim() === '') return undefined
    compare(capturedOf(example, signed.headers), theirs.trim()).then(
      (comparison) => {
        if (!isStale) setFound(comparison)
      },
      () => undefined,
    )
    return () => {
      isStale = true
    }
  }, [signed, theirs])

  const copyLink = (): void => {
    const address = `${location.origin}${location.pathname}#/workbench?${exampleQuery(example)}`
    history.replaceState(null, '', address)
    navigator.clipboard.writeText(address).then(
      () => say('The link is copied. It holds the example, and no secret.'),
      () => say('The link is in the address bar. It holds the example, and no secret.'),
    )
  }
  return (
    <View
      title="Workbench"
      about="Sign a request by hand and see each step. Everything is computed in this page: nothing that you type is sent anywhere."
      actions={
        <button type="button" onClick={copyLink}>
          Copy a link
        </button>
      }
    >
      <div class="bench">
        <form class="panel" onSubmit={(event) => event.preventDefault()} aria-label="The request">
          <h2>The request</h2>
          <Line label="URL" value={example.url} onInput={set('url')} />
          <Area label="Body" rows={3} value={example.body} onInput={set('body')} />
          <div class="filters">
            <Line label="App key" value={example.appKey} onInput={set('appKey')} />
            <Line
              label="App secret"
              type="password"
              placeholder="stays in this page"
              value={secret}
              onInput={setSecret}
            />
            <Choice
              label="Algorithm"
              value={example.algorithm}
              options={['HMAC-SHA1', 'HMAC-SHA256']}
              onChange={set('algorithm')}
            />
            <Line label="Nonce" placeholder="drawn" value={example.nonce} onInput={set('nonce')} />
            <Line label="Timestamp" placeholder="now" value={example.timestamp} onInput={set('timestamp')} />
          </div>
        </form>
        <section class="panel" aria-label="The signature">
          <h2>What is signed</h2>
          {problem === '' ? null : (
            <p class="note" role="alert">
              {problem}
            </p>
          )}
          {signed === undefined ? null : (
            <>
              <CanonicalTable
                path={signed.explanation.path}
                entries={signed.explanation.entries}
                digest={signed.explanation.digest?.hex}
              />
              <h3>Joined</h3>
              <Text label="Canonical string">{signed.explanation.canonical}</Text>
              <h3>Signature</h3>
              {secret === '' ? (
                <p class="muted">Type an app secret, and it appears here.</p>
              ) : (
                <Text label="Signature">{signed.headers['x-signature']}</Text>
              )}
            </>
          )}
        </section>
      </div>
      <section class="panel" aria-label="Compare">
        <h2>Compare</h2>
        <Area
          label="The other side's canonical string"
          value={theirs}
          onInput={setTheirs}
          placeholder="Paste what your program, or the service, says it signed."
        />
        {found === undefined ? null : <ComparisonText found={found} names={['here', 'there']} />}
      </section>
    </View>
  )
}

const capturedOf = ({ url, body }: Example, headers: Readonly<Record<string, string>>) => ({
  url,
  body,
  headers,
})

async function sign(example: Example, secret: string): Promise<Signed> {
  const { appKey, algorithm, nonce, timestamp, url, body } = example
  const atMs = timestamp === '' ? Date.now() : Date.parse(timestamp)
  if (Number.isNaN(atMs)) throw new Error('timestamp: expected an instant such as 2026-01-31T14:05:09Z')
  const signer = createSigner({
    appKey,
    // Without a secret everything but the signature can be shown.
    appSecret: secret === '' ? 'none' : secret,
    algorithm,
    now: () => atMs,
    ...(nonce === '' ? {} : { nonce: () => nonce }),
  })
  const { headers } = await signer.sign({ ...fromUrl(url), body })
  return { headers, explanation: await explain(capturedOf(example, headers)) }
}
