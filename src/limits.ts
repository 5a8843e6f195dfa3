/*
 * Every limit of the service that no variable sets: its value; then its unit and why. `npm run limits:page` makes
 * docs/limits.md from this file.
 */

/* Connections and requests */
export const CONNECTIONS = 4_000; // connections: open at once; some 100 MB of memory while all are idle
export const HEADERS_MS = 15_000; // ms: for the headers of a request
export const HEADER_BYTES = 256 * 1024; // bytes: a token of 2,000 clients has about 104 kB; twice that, and cookies of the same site
export const HEADER_LINES = 100; // lines: browsers send about 30, and proxies add some
export const TARGET_CHARACTERS = 8_192; // characters: RFC 9110 asks for 8,000 at least; our longest address has some hundred filters
export const KNOWN_INPUT_CHARACTERS = 1_000_000; // characters: of paths and queries whose checked input is remembered; some megabytes of memory
export const KNOWN_LISTS = 500; // lists: whose statements are remembered for the same caller; some kilobytes each
export const KNOWN_PARTITIONS = 1_000; // addresses and users: whose partition keys of limits are remembered
export const KEEP_ALIVE_MS = 65_000; // ms: longer than a load balancer's usual 60 s, so that the balancer is the side that ends an idle connection
export const ANSWER_STALL_MS = 60_000; // ms: after which a caller that reads nothing of its answer loses the connection
export const LINGER_MS = 1_000; // ms: for which further bytes are taken and dropped: a connection closed at once would be reset and the answer lost
export const IDLE_GRACE_MS = 1_000; // ms: for which an idle connection stays open at the end, because a request may be on its way
export const DRAIN_MS = 7_000; // ms: for the requests under way at the end: the process has ten seconds in all
export const TURN_MS = 10; // ms: after which the work of one request lets others run
export const LOGGED_TEXT_CHARACTERS = 1_000; // characters: of a text from the caller, in the log and the audit record
export const LOGGED_ADDRESS_CHARACTERS = 100; // characters: of the caller's address, in the log and the audit record
export const ERROR_FIELD_CHARACTERS = 200; // characters: of an unknown field's name, in an answer
export const PACKED_BYTES = 14_600; // bytes: from which an answer is compressed; a smaller one fits ten TCP segments and would arrive no sooner
export const HEALTH_MS = 800; // ms: for the database's answer to a health check; a load balancer waits for a second or two

/* Rate limits */
export const WINDOW_MS = 60_000; // ms: of a rate limit, from the first request that it counts
export const SUBNET_BITS = 64; // bits of an IPv6 address: of the subnet that is counted as one address, since one caller often has all of it
export const NETWORK_BITS = 56; // bits of an IPv6 address: of a network, often 256 subnets of one firm or one street
export const ADDRESSES_OF_A_NETWORK = 4; // addresses: whose limits together are the limit of a network: more than one, far fewer than 256
export const REDIS_MS = 50; // ms: that Redis may add to a request
export const REDIS_CONNECT_MS = 1_000; // ms: for Redis to accept a client; no request waits for it
export const REDIS_RETRY_MS = [250, 5_000] as const; // ms, first and longest: pauses before the service connects to a lost Redis again
export const STEADY_MS = 60_000; // ms: of success, after which a failure counts as a new one and pauses begin with the shortest

/* Calendars */
export const CALENDAR_READS = 20; // requests a minute: of one calendar; a program that shows it asks some times a day
export const CALENDAR_EVENTS = 500; // events: of one calendar, the nearest; each takes some 30 µs to write
export const CALENDAR_AHEAD_DAYS = 366; // days: that a calendar looks ahead
export const CALENDAR_PASSED_DAYS = 31; // days: for which it shows what has passed and still counts

/* Bodies */
export const BODY_BYTES = 256 * 1024; // bytes: of one record, far more than its texts may have together
export const ROWS_BYTES = 10 * 1024 * 1024; // bytes: of a body with many records
export const ROWS = 10_000; // records: of one body; an empty line of a table counts as well, because it costs as much
export const BODY_WINDOW_MS = 30_000; // ms: in each such time the rest of a body must come, or BODY_WINDOW_BYTES of it
export const BODY_WINDOW_BYTES = 256 * 1024; // bytes: a slow line of 70 kbit/s is fast enough
export const BODY_PIECES = 1_000; // pieces: of any size; each costs as much work as a thousand bytes
export const BODY_PIECE_BYTES = 1024; // bytes: that all further pieces must have on average
export const BODY_WORK_MS = 60_000; // ms: all work on one body, with pauses for other requests: twice as long as its transaction may take
export const JSON_DIGITS = 15; // digits: that a double keeps of any number; with more, rules would check another number than the caller sent
export const JSON_DEPTH = 20; // levels: no body of ours has more than three; a limit protects recursive code
export const FORM_FRAME_BYTES = 64 * 1024; // bytes: by which a form may be longer than its file: boundaries and headers
export const FORM_PARTS = 10; // parts: of a form; a part that is no field costs the same work
export const FORM_BOUNDARY_CHARACTERS = 70; // characters: RFC 2046, section 5.1.1
export const FILTER_VALUES = 20; // values: of one filter
export const FILTER_IDS = 200; // ids: of the filter id: as many as TARGET_CHARACTERS holds, also with escaped commas
export const KEY_CHARACTERS = 255; // characters: of an Idempotency-Key
export const PROBLEMS = 500; // errors: of one body that an answer lists
export const CSV_ROW_CHARACTERS = 100_000; // characters: the longest text of a field, and all the others
export const CSV_CELLS = 1_000; // cells: of one line
export const CSV_PIECE_BYTES = 4 * 1024; // bytes: parsed before other requests run: a piece may have a line for each byte
export const TEXT_PIECE_BYTES = 64 * 1024; // bytes: checked or decoded before other requests run

/* Imports */
export const CHANGES = 500; // records: that one request changes
export const IMPORT_MS = 30_000; // ms: for the transaction of a long import
export const IMPORT_FEW = 250; // records: up to which an import counts as a short request
export const IMPORT_BATCH = 1_000; // records: of one statement, so that it is soon made, sent and undone
export const IMPORT_BATCH_CHARACTERS = 512 * 1024; // characters: of one statement, so that it is soon made, sent and undone
export const IMPORT_LOOKED_UP = 50; // ids: of records out of the caller's sight that are looked up, to tell missing records from those of others
export const IMPORT_TRIED_AT_ONCE = 250; // lines: tried in one transaction to find the refused lines
export const IMPORT_TRIALS = 200; // attempts: to find the refused lines
export const LIST_NEAR = 10_000; // rows: among which a page is searched first, with a filter that most rows pass
export const SEARCH_WORDS = 10; // words: of q that count, the longest ones: each is a condition of its own
export const WORDS_NEAR = 2_500; // rows: among which a page is searched first, with a filter by words: fewer, because an index finds rare words
export const FOUND_FROM = 100; // clients: of a caller; with fewer, reading every claim is faster than the index of words

/* Lists and streams of changes */
export const CHANGES_LOOKED_AT = 1_000; // records: of all tenants, that one read of changes looks at; it returns at most as many
export const CHANGE_STREAMS = 500; // streams: of one process; some kilobytes each, and a page of changes while it is sent
export const CHANGE_STREAMS_OF_A_USER = 5; // streams: of one caller: a browser has six connections
export const CHANGE_BEAT_MS = 20_000; // ms: of silence before a beat, which also checks the caller's rights
export const CHANGE_LOOK_MS = 250; // ms: between two queries whether anything was written; one connection asks for all streams
export const CHANGE_LOOK_RETRY_MS = [250, 5_000] as const; // ms, first and longest: pauses between these queries while they fail
export const CHANGE_READ_MS = 2_000; // ms: between two reads of one stream
export const CHANGE_READS_AT_ONCE = 1; // stream: that reads at a time: the other connections are for requests
export const CHANGE_STALL_MS = 10_000; // ms: for a caller to take a sent piece, before its stream is ended
export const CHANGE_CLOSE_MS = 1_000; // ms: for a caller to take the last piece at the end of the process

/* Passwords */
export const PASSWORD_BYTES = 72; // bytes: bcrypt ignores further bytes
export const PASSWORD_COST = 12; // two to the power of it are the rounds of a new hash: a quarter of a second of one processor
export const PASSWORD_HIGHEST_COST = 14; // the highest cost of a hash that is computed: each step more takes twice as long
export const PASSWORDS_WAITING = 16; // hashes: that wait for the one thread: some seconds of work
export const PASSWORD_MS = 8_000; // ms: for a hash with its wait: a little more than the longest queue takes on a quiet machine

/* Tokens and the identity provider */
export const TOKEN_CHARACTERS = 256 * 1024; // characters: as many as all headers may have
export const TOKEN_HEADER_CHARACTERS = 16 * 1024; // characters: of a token's header, parsed before the signature is checked; a chain of certificates has thousands
export const CLAIM_CHARACTERS = 255; // characters: of a subject, an email or a name
export const CLOCK_TOLERANCE_S = 30; // s: by which a token's times may be off
export const REMEMBERED_TOKENS = 10_000; // tokens: that are remembered as verified
export const REMEMBERED_BYTES = 32 * 1024 * 1024; // bytes: of the callers of remembered tokens
export const KEYS_BYTES = 512 * 1024; // bytes: of a key set
export const KEY_BITS = 2_048; // bits: of the shortest RSA key with which a signature may be verified (RFC 7518, 3.3)
export const KEYS_GOOD_MS = 600_000; // ms: after which keys are fetched again
export const PROVIDER_RETRY_MS = 30_000; // ms: after which a provider that failed is asked for keys or discovery again
export const NO_KEYS_RETRY_MS = 1_000; // ms: after which the provider is asked again while the service has no keys yet
export const PROVIDER_ANSWER_MS = 5_000; // ms: for each answer of the provider
export const DISCOVERY_BYTES = 64 * 1024; // bytes: of the provider's discovery
export const DISCOVERY_GOOD_MS = 600_000; // ms: after which the discovery is read again
export const CLOCKS_MS = 60_000; // ms: between two comparisons of the clocks of provider, service and Postgres
export const CLOCK_PROVEN_MS = 60_000; // ms: between two stored proofs of a wrong clock; the database believes a proof for an hour
export const CLOCK_OFF_MS = 3_000; // ms: from which a difference of clocks is logged, because somebody should set a clock
export const CLOCK_GOOD_MS = 300_000; // ms: for which a reading of the provider's clock is believed
export const CLOCK_FURTHEST_MS = 240_000; // ms: from which a difference of the provider's clock from ours is not believed: each may be off by two minutes

/* Delivery of changed rights to the identity provider */
export const MANAGEMENT_BYTES = 1024 * 1024; // bytes: of an answer of the provider's management interface
export const MANAGEMENT_MESSAGE_CHARACTERS = 200; // characters: of the management interface's message that are kept
export const MANAGEMENT_RETRIES = 2; // attempts: at once, while the management interface is out of reach
export const MANAGEMENT_RETRY_MS = 200; // ms: before the first of these attempts
export const MANAGEMENT_ROLES_MS = 600_000; // ms: for which the provider's roles are remembered
export const MANAGEMENT_ROLES_PAGE = 100; // roles: of one page
export const MANAGEMENT_ROLES_PAGES = 10; // pages: of roles
export const MANAGEMENT_LIMITED_MS = 10_000; // ms: to wait when a 429 has no Retry-After
export const MANAGEMENT_WAIT_MS = [1_000, 3_600_000] as const; // ms, least and most: of what Retry-After may say
export const CREDENTIAL_BYTES = 256 * 1024; // bytes: of an answer of the provider's token endpoint
export const CREDENTIAL_EARLY_MS = 60_000; // ms: before its end at which a token is renewed
export const CREDENTIAL_LIFE_S = 300; // s: of a token without a stated lifetime
export const DELIVERIES = 8; // users: whose rights are sent at a time
export const DELIVERY_MS = 20_000; // ms: for one delivery
export const DELIVERY_LEASE_MS = 30_000; // ms: of a claim whose process does not answer any more; a delivery ends well before
export const DELIVERY_POLL_MS = 1_000; // ms: before the next search after a search without a change to deliver
export const DELIVERY_RELEASE_MS = 1_000; // ms: for which a process leaves a claim that it gave back to other processes
export const DELIVERY_RARE_MS = 3_600_000; // ms: between attempts where only a person can remove the cause of the failure
export const DELIVERED_FORGET_MS = 3_600_000; // ms: between removals of changes that were delivered long ago
export const DELIVERY_FAILING_USERS = 4; // users: whose deliveries fail in a row, without a success between, before all deliveries pause
export const DELIVERY_PAUSE_MS = [1_000, 30_000] as const; // ms, first and longest: pauses while the provider is out of reach
export const COMPARED_PAGE = 500; // users: read at once by identity:sync
export const COMPARED_AT_ONCE = 5; // users: that identity:sync asks the provider for at once
export const COMPARED_WAITS = 20; // times: that the provider may ask identity:sync to wait, before the command gives up
export const COMPARED_DELIVERY_MS = 60_000; // ms: that identity:sync waits for the changes that it sent to be delivered
export const COMPARED_LOOK_MS = 500; // ms: between two looks whether they were delivered
export const PROGRESS_MS = 2_000; // ms: between two lines of a command about its progress

/* Reminders by mail */
export const REMINDERS_IDLE_MS = 60_000; // ms: between two looks whether reminders are to be made or sent
export const REMINDERS_AT_ONCE = 4; // mails: on their way at a time
export const REMINDER_ITEMS = 100; // deadlines: of one mail; it says how many more there are
export const REMINDER_TEXT_CHARACTERS = 120; // characters: of the text of a task or a number
export const REMINDER_SEND_MS = 120_000; // ms: for the mail server to take one mail
export const REMINDER_LEASE_MS = 240_000; // ms: a claim lasts so long without a word of whoever has it: to send, and to say so while Postgres is away
export const REMINDER_RETRY_MS = 60_000; // ms: before a reminder that could not be read, or whose user has other rights now, is tried again
export const REMINDER_RARE_MS = 3_600_000; // ms: between attempts at an address that the mail server refuses for good
export const REMINDER_SETTLE_MS = 600_000; // ms: for Postgres to be told what became of a mail
export const REMINDER_SETTLE_RETRY_MS = [200, 2_000] as const; // ms, first and longest: pauses between such attempts
export const REMINDERS_PAUSE_MS = [1_000, 60_000] as const; // ms, first and longest: pauses for a mail server that is away
export const SMTP_CONNECT_MS = 15_000; // ms: for a connection to the mail server

/* Postgres */
export const GRACE_MS = 1_000; // ms: beyond DATABASE_STATEMENT_TIMEOUT_MS, after which a server counts as out of reach
export const CANCEL_BEFORE_MS = 500; // ms: before that moment the server is asked to cancel: it then answers what became of the statement
export const CONNECT_MS = 5_000; // ms: for a new connection, however long statements may take
export const IDLE_MS = 30_000; // ms: after which an unused connection is closed
export const TCP_KEEP_ALIVE_MS = 10_000; // ms: of silence before a connection is probed
export const WAITING_PER_CONNECTION = 100; // requests: that may wait for each connection of the pool
export const LEAVING_MS = 500; // ms: for the end of the connections that are closing, at the end of the process
export const PARTING_MS = 1_000; // ms: for the server to close a connection that ended in good order
export const CANCEL_MS = 60_000; // ms: for the server to close the connection of a cancel request; nothing waits for it
export const PRIMARY_ANSWER_MS = 2_000; // ms: for a server to say whether it takes writes
export const PRIMARY_PAUSE_MS = 200; // ms: between two questions which server takes writes, while none does
export const VICTIM_PAUSE_MS = 50; // ms: before a transaction that a deadlock has undone is repeated, so that the others go first
export const PREPARED_STATEMENTS = 300; // statements: of a connection: more than all endpoints need, tens of kilobytes each
export const STATEMENT_DIGESTS = 2_000; // texts: of statements whose names are remembered
export const STREAM_ROWS = 250; // rows: of a page of a long list: few for the memory, many for a round trip
export const STREAM_PAGE_MS = 30_000; // ms: for the reader of a long list to ask for the next page
export const STREAM_MS = 300_000; // ms: for the whole of a long list
export const STREAM_IDLE_MS = 30_000; // ms: beyond a page's time, after which Postgres ends the transaction of a process that stands still
export const LANE_MS = 2_000; // ms: statement time-out of connections that serve no request: for them a slow answer is of no use
export const ADMIN_CONNECT_MS = 10_000; // ms: for a new connection of a command
export const ADMIN_ANSWER_MS = 10_000; // ms: for the answer to a quick query before a server counts as out of reach
export const ADMIN_CLOSE_MS = 5_000; // ms: for the end of a command's connection
export const DEPLOY_WAIT_MS = 120_000; // ms: that each step of a deploy or an archive waits for others
export const DEPLOY_SAY_MS = 5_000; // ms: of waiting, after which the blocking sessions are logged
export const DEPLOY_CLEAR_MS = 5_000; // ms: without blocking sessions, after which a wait counts as over; longer than a pause between attempts
export const DEPLOY_SAY_AGAIN_MS = 30_000; // ms: between two log lines about blocking sessions
export const DEPLOY_RETRY_MS = [50, 2_000] as const; // ms, first and longest: random pauses before a lock is tried again
export const DEPLOY_RACES = 10; // attempts: at a change of the catalog that fails because of another deploy; after so many the cause must be another
export const ARCHIVE_PAGE = 2_000; // records: read at once: some megabytes

/* Jobs */
export const OVER_RETENTION_MS = 86_400_000; // ms: between two lines that audit records are over their retention
export const HOUSEKEEPING_MS = 600_000; // ms: between two rounds that remove old rows and make the coming months of the audit log
export const FORGOTTEN_AT_ONCE = 500; // rows: removed by one statement, so that a round locks few rows at a time
export const REMOVED_AT_ONCE = 100; // contents: removed from the store at a time

/* Audit records of refusals */
export const REFUSAL_MS = 1_000; // ms: that an answer waits for Postgres to store its refusal
export const REFUSAL_DISK_MS = 2_000; // ms: that the answer then waits for the disk
export const REFUSALS_WAITING = 10_000; // refusals: that may wait for Postgres, and for the disk; some kilobytes of memory each
export const REFUSALS_AT_ONCE = 500; // refusals: stored by one statement: some hundred milliseconds at most
export const REFUSALS_RETRY_MS = [250, 2_000] as const; // ms, first and longest: pauses before Postgres is tried again
export const REFUSALS_ROUND_MS = 10_000; // ms: between two looks at the database's clock, and for the files of ended processes
export const REFUSALS_QUICK_MS = 500; // ms: of an answer; a slower answer says too little about when the database read its clock
export const REFUSAL_REASON_CHARACTERS = 1_900; // characters: of a reason; an audit record has room for 2,000
export const SPOOL_BYTES = 256 * 1024 * 1024; // bytes: of refusals on disk, about 600 each; when full, refusals are answered with 503
export const SPOOL_FILE_BYTES = 1024 * 1024; // bytes: of one file, which is read at once and removed as a whole
export const SPOOL_CLOSE_MS = 1_000; // ms: for the disk at the end; every line is on the disk already
export const SPOOL_SLOTS = 100; // processes: with one DATA_DIR: more than anybody starts by accident

/* Documents */
export const STORE_ANSWER_MS = 4_500; // ms: for an answer of the store: a download asks twice, within ten seconds
export const FILE_PIECE_BYTES = 256 * 1024; // bytes: of an upload that are written or read at once
export const STORE_STALL_MS = 8_000; // ms: without a byte of a content, after which its transfer is given up
export const STORE_CONNECT_MS = 3_000; // ms: for a connection to an S3 store
export const ADDRESS_S = 60; // s: for which the address of a download at the store is good
export const ARCHIVED_DOCUMENTS = 1_000; // documents: of one archive; a claim has about ten
export const ARCHIVED_STEM_BYTES = 180; // bytes: of a file name in an archive, without its extension: systems take 255, and a number may be added
export const ARCHIVED_EXTENSION_BYTES = 40; // bytes: of the extension of a file name in an archive, with its dot
export const ARCHIVES_AT_ONCE = 8; // archives: that are read at once, at most one for each caller; each has one content open
export const UPLOAD_ABANDONED_MS = 3_600_000; // ms: longer than any upload may take: an older file was left by a crash
export const CHECK_PAGE = 1_000; // documents: read at once by documents:check
export const CHECK_AT_ONCE = 8; // contents: that documents:check reads at once
export const CHECK_SUSPECTS = 50; // contents: that documents:check checks again at once where they differ
export const COMPOUND_SECTORS = 1_000; // sectors: of the directory of a .doc or .xls: more than any has, so a longer chain is a loop

/* The process, its log and its figures */
export const CLOSING_MS = 9_000; // ms: for all parts to end: the process is often killed after ten seconds
export const BREAK_OFF_MS = 100; // ms: for a part to break off its work after its time
export const LAST_MS = 9_800; // ms: until the process ends although a part still hangs, as on a disk that is out of reach
export const SAME_SIGNAL_MS = 500; // ms: in which a second signal counts as the same Ctrl-C, which the terminal and npm both send
export const LOOKING_MS = 500; // ms: for the first check of the database, if it is still under way at the end
export const LOG_TEXT_CHARACTERS = 1_000; // characters: of a text in the log
export const LOG_STACK_CHARACTERS = 4_000; // characters: of a stack: some frames
export const LOG_MEMBERS = 30; // members: of an object or a list in the log
export const LOG_DEPTH = 4; // levels: of an object in the log
export const METRICS_CONNECTIONS = 20; // connections: of collectors of figures; a new one ends the oldest
export const METRICS_CONNECTION_MS = 10_000; // ms: for one connection of a collector, however slowly it reads
export const METRICS_KEPT_MS = 1_000; // ms: for which the same figures are served again
export const METRICS_ANSWER_MS = 1_000; // ms: for a part to give a figure: collectors wait for ten seconds
export const TIMELINE_TRANSACTIONS = 20; // transactions: of a request whose times are kept: only an import has more
export const TRACES_MS = 1_000; // ms: for the collector to take traces
export const TRACES_SAY_MS = 60_000; // ms: between two log lines that the collector takes no traces

/* The embedded Postgres */
export const EMBEDDED_MAKE_MS = 300_000; // ms: to make a cluster, which takes seconds
export const EMBEDDED_START_MS = 120_000; // ms: for the start of the embedded Postgres
export const EMBEDDED_ANSWER_MS = 5_000; // ms: for the answer of the embedded Postgres to a probe
export const EMBEDDED_STOP_MS = 8_000; // ms: for the end of the embedded Postgres
export const EMBEDDED_LEFTOVER_MS = 15_000; // ms: for the end of a Postgres that an earlier process left
export const EMBEDDED_LEFTOVER_LOOK_MS = 20; // ms: between two looks whether that Postgres has ended
export const EMBEDDED_RETRY_MS = [250, 10_000] as const; // ms, first and longest: pauses before an embedded Postgres that ended is started again
export const EMBEDDED_TAKEN_ATTEMPTS = 40; // attempts: while another process has the cluster
export const EMBEDDED_TAKEN_MS = 250; // ms: between two attempts while another process has the cluster
export const EMBEDDED_LOG_MS = 60_000; // ms: between two looks at the size of the embedded Postgres's log
export const EMBEDDED_LOG_BYTES = 10 * 1024 * 1024; // bytes: of the log before a new one begins; the previous log is kept
export const EMBEDDED_MESSAGE_CHARACTERS = 2_000; // characters: of a message of Postgres's programs that are shown
export const EMBEDDED_PASSWORDS_MS = 120_000; // ms: to hash the passwords of the demonstration, perhaps as the first work of a busy machine

/* The embedded identity provider */
export const LOGIN_EMAIL_CHARACTERS = 255; // characters: of an email that is looked up
export const LOGIN_FAILURES = 10; // failures: of an account from one address in LOGIN_WINDOW_MS
export const LOGIN_WINDOW_MS = 900_000; // ms: in which failures count, from the first one
export const LOGINS_COUNTED = 10_000; // accounts and addresses: whose failures are counted at a time
export const EMBEDDED_TOKEN_S = 900; // s: of a token, and of a page to log in
export const EMBEDDED_LOGIN_S = 43_200; // s: of a login with all its tokens
export const EMBEDDED_GRANT_S = 2_592_000; // s: of a user's consent to an application
