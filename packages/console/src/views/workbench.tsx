/** The view that signs, explains and compares in the page, with the signer of this toolkit. It sends nothing that is typed. */
import {
  type Comparison,
  compare,
  createSigner,
  type Explanation,
  explain,
  fromUrl,
} from '@brokerwire/signer'
import { useEffect, useState } from 'preact/hooks'
import { showStatus } from '../model/calls.ts'
import { type Example, exampleQuery, parseExample } from '../model/example.ts'
import { route } from '../model/store.ts'
import { CanonicalTable } from '../parts/canonical-table.tsx'
import { Area, Choice, Line, Text, View } from '../parts/common.tsx'
import { ComparisonText } from '../parts/comparison.tsx'

interface Signed {
  readonly explanation: Explanation
  readonly headers: Readonly<Record<string, string>>
}

export function Workbench() {
  const [example, setExample] = useState<Example>(() => parseExample(route.value.query))
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
    compare(toRecorded(example, signed.headers), theirs.trim()).then(
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
      () => showStatus('The link is copied. It contains the request and no secret.'),
      () => showStatus('The link is in the address bar. It contains the request and no secret.'),
    )
  }
  return (
    <View
      title="Workbench"
      about="Sign a request and see each step. The page computes everything itself: it sends nothing that you type."
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
            <Line label="Nonce" placeholder="random" value={example.nonce} onInput={set('nonce')} />
            <Line label="Timestamp" placeholder="now" value={example.timestamp} onInput={set('timestamp')} />
          </div>
        </form>
        <section class="panel" aria-label="The signature">
          <h2>Canonical string</h2>
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
              <h3>As one string</h3>
              <Text label="Canonical string">{signed.explanation.canonical}</Text>
              <h3>Signature</h3>
              {secret === '' ? (
                <p class="muted">Enter an app secret to see the signature.</p>
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
          placeholder="Paste the canonical string of your program or of the service."
        />
        {found === undefined ? null : <ComparisonText found={found} names={['here', 'there']} />}
      </section>
    </View>
  )
}

const toRecorded = ({ url, body }: Example, headers: Readonly<Record<string, string>>) => ({
  url,
  body,
  headers,
})

async function sign(example: Example, secret: string): Promise<Signed> {
  const { appKey, algorithm, nonce, timestamp, url, body } = example
  const atMs = timestamp === '' ? Date.now() : Date.parse(timestamp)
  if (Number.isNaN(atMs)) throw new Error('timestamp must be a time such as 2026-01-31T14:05:09Z')
  const signer = createSigner({
    appKey,
    // If the secret is empty, any value is used, and the view shows everything except the signature.
    appSecret: secret === '' ? 'none' : secret,
    algorithm,
    now: () => atMs,
    ...(nonce === '' ? {} : { nonce: () => nonce }),
  })
  const { headers } = await signer.sign({ ...fromUrl(url), body })
  return { headers, explanation: await explain(toRecorded(example, headers)) }
}
