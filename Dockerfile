FROM node:24.21.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
# The image has the service and the commands of src/admin, and no demonstration.
RUN npm run build && rm -r dist/demo

# Optional dependencies are those of the demonstration, and a Node of its own: the image needs neither.
FROM node:24.21.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional

FROM node:24.21.0-slim
LABEL org.opencontainers.image.title="taxclaims" \
      org.opencontainers.image.description="Claims of property tax for many clients, kept apart in Postgres" \
      org.opencontainers.image.version="3.0.0" \
      org.opencontainers.image.licenses="UNLICENSED"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
# Readable for the user of the image, whatever the umask of the checkout was.
COPY --chmod=755 package.json ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# Beside dist, where they are looked for.
COPY --chmod=755 db ./db
COPY --chmod=755 public ./public
# /data has documents, unless they go to S3, uploads, and refusals that the database could not take yet: without a volume, a
# container that ends during an outage loses its refusals. /documents has documents that several instances share. A volume on a
# folder that the image does not make would belong to root.
RUN install --directory --owner=node --group=node --mode=700 /data /documents
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# What is new has two halves of 16 MB; of Node's own accord 64, for which nothing is quicker (bench/README.md).
CMD ["node", "--max-semi-space-size=16", "dist/main.js"]
