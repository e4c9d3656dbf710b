/** The view of requests: how each was signed, and why it was rejected. */
import { type Comparison, compare } from '@brokerwire/signer'
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { fetchDiagnosis, showStatus } from '../model/calls.ts'
import { formatTime, pluralize } from '../model/format.ts'
import { formatReport } from '../model/report.ts'
import { requests, signalOfRun } from '../model/store.ts'
import type { ConsoleDiagnosis, ConsoleRequest } from '../model/wire.ts'
import { CanonicalTable } from '../parts/canonical-table.tsx'
import { Area, Command, Empty, Fact, OpenedHeading, View } from '../parts/common.tsx'
import { ComparisonText } from '../parts/comparison.tsx'
import { focusOpenedRow, VirtualList } from '../parts/virtual-list.tsx'

const opened = signalOfRun<ConsoleRequest>()
const close = (): void => {
  focusOpenedRow()
  opened.value = undefined
}
const onlyRejected = signal(false)

const isRejected = ({ status, errorCode }: ConsoleRequest): boolean =>
  status >= 400 || errorCode !== undefined

export function Requests() {
  const rows = onlyRejected.value ? requests.value.filter(({ entry }) => isRejected(entry)) : requests.value
  return (
    <View
      title="Requests"
      about="Each request has a signature, computed from its content and the app secret. The service computes the signature again from the received request. If one byte differs, it rejects the request."
    >
      <div class="filters">
        <label class="check">
          <input
            type="checkbox"
            checked={onlyRejected.value}
            onChange={(event) => {
              onlyRejected.value = event.currentTarget.checked
            }}
          />
          rejected only
        </label>
        <p class="muted small">{pluralize(rows.length, 'request')}</p>
      </div>
      {rows.length === 0 ? (
        <Empty title={onlyRejected.value ? 'No rejected request' : 'No request yet'}>
          Send one: <Command>request GET /openapi/config</Command>
        </Empty>
      ) : (
        <div class={opened.value === undefined ? 'split' : 'split opened'}>
          <VirtualList label="Requests, newest first" rows={rows} rowHeight={34}>
            {({ entry }) => <RequestRow request={entry} />}
          </VirtualList>
          {opened.value === undefined ? null : <RequestDetails request={opened.value} />}
        </div>
      )}
    </View>
  )
}

function RequestRow({ request }: { readonly request: ConsoleRequest }) {
  const { atMs, method, path, status, errorCode, tookMs, protocol } = request
  const outcome =
    protocol === 'grpc' ? (errorCode ?? 'stream') : status === 0 ? 'no response' : String(status)
  return (
    <button
      type="button"
      class="row"
      aria-pressed={opened.value?.index === request.index}
      onClick={() => {
        opened.value = opened.value?.index === request.index ? undefined : request
      }}
    >
      <time>{formatTime(atMs)}</time>
      <span class={`outcome badge ${isRejected(request) ? 's-invalid' : 's-normal'}`}>{outcome}</span>
      <b class="method">{method}</b>
      <span class="ellipsis">{path}</span>
      <span class="muted">{tookMs} ms</span>
    </button>
  )
}

function RequestDetails({ request }: { readonly request: ConsoleRequest }) {
  const [diagnosis, setDiagnosis] = useState<ConsoleDiagnosis['diagnosis']>(undefined)
  useEffect(() => {
    setDiagnosis(undefined)
    fetchDiagnosis(request.index).then(setDiagnosis, () => undefined)
  }, [request.index])
  const { method, path, status, errorCode, app, tookMs, requestId, headerNames, protocol } = request
  const canonical = diagnosis?.canonical
  const copy = (): void => {
    navigator.clipboard.writeText(formatReport(request, diagnosis)).then(
      () => showStatus('The report is copied. It contains no secret.'),
      () => showStatus('The browser does not allow copying here.', true),
    )
  }
  return (
    <section class="card details" aria-label="Request">
      <OpenedHeading onClose={close}>
        {method} <span class="ellipsis">{path}</span>
      </OpenedHeading>
      {diagnosis?.rejection === undefined ? null : (
        <p class="note">
          <b>{diagnosis.rejection.code}</b> {firstPart(diagnosis.rejection.message)}
        </p>
      )}
      <dl class="facts">
        <Fact name="response">{status === 0 ? 'none' : status}</Fact>
        <Fact name="error code">{errorCode ?? '—'}</Fact>
        <Fact name="app">{app ?? 'unknown, because the signature is invalid'}</Fact>
        <Fact name="duration">{tookMs} ms</Fact>
        <Fact name="request id">
          <code>{requestId}</code>
        </Fact>
        <Fact name="protocol">{protocol}</Fact>
        <Fact name="headers">{headerNames.join(', ')}</Fact>
      </dl>
      <h3>Canonical string</h3>
      {canonical === undefined ? (
        <p class="muted">
          The request has no canonical string, because a signature header is missing or malformed.
        </p>
      ) : (
        <>
          <CanonicalTable {...canonical} />
          {diagnosis?.rejection === undefined ? null : (
            <Compare ours={canonical.text} mistake={diagnosis.mistake} />
          )}
        </>
      )}
      <p class="buttons">
        <button type="button" onClick={copy}>
          Copy a report
        </button>
      </p>
    </section>
  )
}

/** Returns the message without the canonical string, because the string is shown below. */
const firstPart = (message: string): string => message.split('; expected the signature of ', 1)[0] ?? ''

interface Mistake {
  readonly what: string
  readonly theirs: string
}

/** The comparison of the service's string with the string that the client signed. */
function Compare({ ours, mistake }: { readonly ours: string; readonly mistake: Mistake | undefined }) {
  const [theirs, setTheirs] = useState(mistake?.theirs ?? '')
  const [found, setFound] = useState<Comparison | undefined>(undefined)
  useEffect(() => {
    let isStale = false
    setFound(undefined)
    if (theirs.trim() === '') return undefined
    compare(ours, theirs.trim()).then(
      (comparison) => {
        if (!isStale) setFound(comparison)
      },
      (error: unknown) => showStatus(error instanceof Error ? error.message : String(error), true),
    )
    return () => {
      isStale = true
    }
  }, [ours, theirs])
  return (
    <>
      <h3>Compare</h3>
      {mistake === undefined ? (
        <p class="muted small">
          No known mistake leads to this signature. Either the request was changed on the way, or the client
          uses another secret. Paste the string that your client signed.
        </p>
      ) : (
        <p class="note">
          Your client <b>{mistake.what}</b>: with this change the signature matches.
        </p>
      )}
      <Area
        label="The string that your client signed"
        value={theirs}
        onInput={setTheirs}
        rows={3}
        placeholder="/path&name=value&…"
      />
      {found === undefined ? null : <ComparisonText found={found} names={['service', 'client']} />}
    </>
  )
}
