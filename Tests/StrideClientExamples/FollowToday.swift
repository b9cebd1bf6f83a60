import StrideClient

func followToday(of pedometer: Pedometer) async {
    for await today in pedometer.today {
        print(today.date, today.steps, "steps")
    }
}
