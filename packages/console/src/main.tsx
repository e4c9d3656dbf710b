/** Entry of the page: the token of the address becomes a cookie, then the feed is opened. */
import { render } from 'preact'
import { App } from './app.tsx'
import { startFeed } from './model/feed.ts'
import { beginSession } from './model/session.ts'
import './style.css'

const root = document.getElementById('console')
if (root !== null) render(<App />, root)
await beginSession()
startFeed()
