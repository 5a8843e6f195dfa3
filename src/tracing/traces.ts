import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Logger } from 'pino';
import type { ObservedRequest, MeasuredInterval } from '../observed.ts';
import { withTimeout } from '../timeout.ts';
import { TRACES_EXPORT_TIMEOUT_MS, TRACES_LOG_PAUSE_MS } from '../limits.ts';

/** The OpenTelemetry SDK reads the variables OTEL_*. @param ratio the sampled part of the traces that begin here */
export async function openTraces({ ratio, log }: { readonly ratio: number; readonly log: Logger }) {
  const { context, defaultTextMapGetter, diag, DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } =
    await import('@opentelemetry/api');
  const { W3CTraceContextPropagator } = await import('@opentelemetry/core');
  const { BasicTracerProvider, BatchSpanProcessor, ParentBasedSampler, TraceIdRatioBasedSampler } = await import(
    '@opentelemetry/sdk-trace-base'
  );
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources');

  let warnedAt = -Infinity;
  const ignore = (): void => undefined;
  const warn = (reason: string): void => {
    if (performance.now() - warnedAt < TRACES_LOG_PAUSE_MS) return;
    warnedAt = performance.now();
    log.warn({ reason }, 'the trace collector accepts no traces');
  };
  diag.setLogger(
    { error: warn, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );

  const exporter = new OTLPTraceExporter({
    httpAgentOptions: createBackgroundAgent,
    timeoutMillis: TRACES_EXPORT_TIMEOUT_MS,
  });
  const resource = resourceFromAttributes({ 'service.name': 'taxclaims' });
  const provider = new BasicTracerProvider({
    resource: resource.merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    // The span processor drops spans while its queue is full.
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('taxclaims');
  const propagator = new W3CTraceContextPropagator();

  function requestEnded(request: ObservedRequest): void {
    const { route, method, role, status, error, timeline, endedMs, traceparent } = request;
    const incoming = propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
    const attributes = {
      'http.request.method': method === 'other' ? '_OTHER' : method,
      'http.route': route,
      'taxclaims.role': role,
      ...(status === 'aborted' ? { 'error.type': 'aborted' } : { 'http.response.status_code': status }),
      ...(error !== undefined && { 'error.type': error.code }),
    };
    const span = tracer.startSpan(
      `${method} ${route}`,
      { kind: SpanKind.SERVER, startTime: timeline.begunMs, attributes },
      incoming,
    );
    if (typeof status === 'number' && status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    if (span.isRecording()) {
      const parent = trace.setSpan(incoming, span);
      for (const stretch of timeline.transactions) addSpan('transaction', stretch, parent);
    }
    span.end(endedMs);
  }

  function addSpan(name: string, { begunMs, endedMs, isFailed }: MeasuredInterval, parent: typeof ROOT_CONTEXT): void {
    const attributes = name === 'transaction' ? { 'db.system.name': 'postgresql' } : {};
    const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime: begunMs, attributes }, parent);
    if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedMs);
  }

  return {
    requestEnded,
    keysFetched: (stretch: MeasuredInterval): void => {
      addSpan('fetch keys', stretch, ROOT_CONTEXT);
    },
    async close(withinMs: number): Promise<void> {
      await withTimeout(
        Math.min(withinMs, TRACES_EXPORT_TIMEOUT_MS),
        provider.shutdown(),
        () => new Error('the collector did not take the last traces in time'),
      ).catch((error: unknown) => {
        log.warn({ err: error }, 'the last traces are lost');
      });
      diag.disable();
      context.disable();
    },
  };
}

/** Creates an HTTP agent with at most two connections, which do not keep the process running. */
function createBackgroundAgent(protocol: string): Agent {
  const options = { keepAlive: true, maxSockets: 2 };
  const agent = protocol === 'https:' ? new SecureAgent(options) : new Agent(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args) => {
    const socket = connect(...args);
    if (socket !== null && socket !== undefined && 'unref' in socket) (socket as { unref(): void }).unref();
    return socket;
  };
  return agent;
}
