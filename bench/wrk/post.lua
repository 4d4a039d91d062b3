-- Posts the body that stands in the file BENCH_BODY.
wrk.method = "POST"
wrk.body = io.open(os.getenv("BENCH_BODY")):read("*a")
