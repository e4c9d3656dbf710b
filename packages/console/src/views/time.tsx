/** The view of the service's clock and of scenarios. */
import { useState } from 'preact/hooks'
import { sendAction, showStatus } from '../model/calls.ts'
import { formatDuration, formatInstant } from '../model/format.ts'
import { hello, nowMs, state } from '../model/store.ts'
import { Area, Choice, Line, View } from '../parts/common.tsx'

const HOUR_MS = 3_600_000
const STEPS = [
  [60_000, '1 minute'],
  [5 * 60_000, '5 minutes'],
  [HOUR_MS, '1 hour'],
  [24 * HOUR_MS, '1 day'],
  [15 * 24 * HOUR_MS, '15 days'],
] as const

export function Time() {
  return (
    <View
      title="Time"
      about="Tokens expire after fifteen days. You need not wait: advance the clock of the service, and everything that is due until then happens in order."
    >
      <section class="panel" aria-labelledby="clock">
        <h2 id="clock">Clock</h2>
        <p class="big">
          <time>{formatInstant(nowMs.value)}</time> <span class="muted">UTC</span>
        </p>
        <p class="buttons">
          {STEPS.map(([ms, text]) => (
            <button key={ms} type="button" onClick={() => void advance(ms)}>
              Advance {text}
            </button>
          ))}
        </p>
        <p class="muted small">The clock only moves forward.</p>
      </section>
      <Scenarios />
    </View>
  )
}

const advance = (ms: number): Promise<boolean> =>
  sendAction('advance', { ms }, () => `The clock is ${formatDuration(ms)} later.`)

const STEPS_EXAMPLE = `{ "steps": [
  { "type": "order", "order": "one", "scene": "PLACED" },
  { "type": "order", "order": "one", "scene": "FINAL_FILLED", "afterMs": 2000 },
  { "type": "drop", "afterMs": 1000 }
] }`

function Scenarios() {
  const isRunning = state.value?.scenarioRunning ?? false
  const names = hello.value?.choices.scenarios ?? []
  const [name, setName] = useState('lifecycles-forever')
  const [intervalMs, setIntervalMs] = useState('1000')
  const [steps, setSteps] = useState('')
  const start = (event: Event): void => {
    event.preventDefault()
    void sendAction('scenario', { start: name, intervalMs: Number(intervalMs) }, () => `${name} has started.`)
  }
  const startSteps = (event: Event): void => {
    event.preventDefault()
    let read: unknown
    try {
      read = JSON.parse(steps)
    } catch (error) {
      showStatus(`The steps are not JSON: ${error instanceof Error ? error.message : ''}`, true)
      return
    }
    void sendAction('scenario', { start: read }, () => 'Your steps have started.')
  }
  return (
    <section class="panel" aria-labelledby="scenario">
      <h2 id="scenario">
        Scenario{' '}
        <span class={`badge ${isRunning ? 's-normal' : 's-expired'}`}>
          {isRunning ? 'running' : 'stopped'}
        </span>
      </h2>
      <form class="filters" onSubmit={start}>
        <Choice label="Scenario" value={name} options={names} onChange={setName} />
        <Line label="Milliseconds between steps" type="number" value={intervalMs} onInput={setIntervalMs} />
        <button type="submit" class="primary">
          Start
        </button>
        <button
          type="button"
          disabled={!isRunning}
          onClick={() => void sendAction('scenario', { stop: true }, () => 'The scenario has stopped.')}
        >
          Stop
        </button>
      </form>
      <details>
        <summary>Your own steps</summary>
        <form onSubmit={startSteps}>
          <Area
            label="Steps, as JSON"
            rows={6}
            value={steps}
            placeholder={STEPS_EXAMPLE}
            onInput={setSteps}
          />
          <p class="buttons">
            <button type="submit">Start these steps</button>
          </p>
        </form>
      </details>
    </section>
  )
}
